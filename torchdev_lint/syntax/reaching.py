"""What is reached from one name by way of others."""

from __future__ import annotations

from collections.abc import Mapping, Set


def reached_from(name: str, steps: Mapping[str, Set[str]]) -> set[str]:
    """Return a name, and all those that steps lead to from it, one after the other.

    Args:
        steps: where one step leads to from each name.
    """
    found, pending = {name}, [name]
    while pending:
        new = steps.get(pending.pop(), frozenset()) - found
        found |= new
        pending += new
    return found
