"""Following imports through a project."""
