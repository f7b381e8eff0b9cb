"""Defects made on purpose in real programs, and how many of them the linter finds.

Nothing of the programs is here: you bring the repositories.
"""
