"""The rows of the mixing table, by subject."""
