"""Fixes: which change mends what a rule has found.

`change` says what to change, without any syntax tree, so that a finding can carry it; the other
files find the change for a kind of finding, from facts.
"""
