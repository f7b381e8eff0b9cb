"""Bugs that public projects had and mended, and how many of them the linter finds.

`cases.jsonl` says where each was: repository, commits, file, lines, rule. It holds nothing of the
projects' code, which is read from copies of their histories that you have.
"""
