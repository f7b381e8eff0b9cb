"""Fixes: which change mends a defect, found for a kind of finding, from facts.

A change itself (`change`) needs no syntax tree, so that a finding can carry it.
"""
