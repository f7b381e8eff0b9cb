"""Judging syntax: what names, annotations and conditions tell."""
