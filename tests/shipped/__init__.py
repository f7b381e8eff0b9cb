"""What users get: the action, the hooks, releases, pages."""
