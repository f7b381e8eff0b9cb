"""Files: finding, reading, places in them, what goes wrong."""
