"""Python syntax, without any knowledge of where values live."""
