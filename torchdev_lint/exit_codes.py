"""What the command ends with."""

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130
