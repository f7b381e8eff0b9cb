"""What is reached from some names by way of others."""

from __future__ import annotations

from collections.abc import Mapping, Set


def reached_from(names: Set[str], steps: Mapping[str, Set[str]]) -> set[str]:
    """Return some names, and all those that steps lead to from them, one after the other.

    Args:
        steps: where one step leads to from each name.
    """
    found, pending = set(names), list(names)
    while pending:
        new = steps.get(pending.pop(), frozenset()) - found
        found |= new
        pending += new
    return found
