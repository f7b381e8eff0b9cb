"""What the linter finds in pinned releases of other people's code, and what changed about it."""
