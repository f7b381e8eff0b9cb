"""What may be known of values and objects, without any knowledge of PyTorch."""
