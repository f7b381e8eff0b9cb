"""Tracebacks of device errors: reading them, and finding in the code what made them."""
