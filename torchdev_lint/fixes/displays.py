"""Containers that are made of what other ones hold, as code writes them."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof

_DISPLAYS = {
    "list": "[{move} for {name} in {text}]",
    "tuple": "tuple({move} for {name} in {text})",
    "set": "{{{move} for {name} in {text}}}",
    "dict": "{{{key}: {move} for {key}, {name} in {text}.items()}}",
}


def display_of(facts: Facts, kind: str | None, place: ast.AST) -> str | None:
    """Return how a container of a type is made at a place, None if it can't be written there.

    That is a format: `text` holds the elements, `name` and `key` are variables for each of them,
    `move` is what the new container gets.

    Args:
        facts: what is known of the file.
        kind: `list`, `tuple`, `set`, `dict`, or else anything.
        place: where it is to stand.
    """
    if kind == "tuple" and not facts.derived(Proof).bindings.is_builtin("tuple", place):
        return None
    return _DISPLAYS.get(kind or "")


def free_name(taken: Set[str]) -> str:
    """Return a variable for the elements of a container that is none of those that are taken."""
    return next(name for name in ("t", "tensor", "element", "each_tensor") if name not in taken)
