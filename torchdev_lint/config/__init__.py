"""What users can set, where they set it, and what holds for a file in the end."""
