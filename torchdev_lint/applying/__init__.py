"""Applying fixes: how changes become edits, and how files are rewritten.

`edit` turns changes into stretches of text to replace; only that needs libcst. `apply` applies
fixes to a text until nothing is left to do, analysing the result each time. `write` replaces the
file.
"""
