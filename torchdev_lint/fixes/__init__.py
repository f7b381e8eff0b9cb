"""Fixes: what a rule wants changed, how that becomes edits, and how files are rewritten.

`change` says what to change, without any syntax tree, so that a finding can carry it. `edit`
turns it into stretches of text to replace; only that needs libcst. `apply` applies fixes to a
text until nothing is left to do, analysing the result each time. `write` replaces the file.
"""
