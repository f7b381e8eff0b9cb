"""What Python itself does with values: arguments, attributes, iteration, containers."""
