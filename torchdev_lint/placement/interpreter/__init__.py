"""Runs statements and expressions abstractly."""
