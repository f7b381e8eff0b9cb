"""Fixes of modules that keep where they are when they are built, as `self.device = w.device`."""

from __future__ import annotations

import ast

from torchdev_lint.change import Fix, Replace
from torchdev_lint.placement.domain.origins import Holder, Origin
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.syntax.names import names_in, path_of
from torchdev_lint.syntax.walking import walk

_MOST_READS = 8
"""In how many places it is still worth asking anew."""
_ASKING = frozenset({"self", "next"})
"""What an expression may name that means the same in each method."""


def asked_where_used(facts: Facts, holder: Holder, origin: Origin) -> Fix | None:
    """Return the fix that asks for the device wherever the module reads the answer it has kept.

    It is unsafe: code out of sight may set another device.

    Args:
        holder: the module, and the attribute in which it keeps the device.
        origin: the expression that asks.
    """
    statement = facts.syntax.statement(origin.node)
    if holder.cls is None or not isinstance(statement, ast.Assign):
        return None
    if not names_in(statement.value) <= _ASKING:
        return None
    reads = [
        node
        for node in walk(holder.cls)
        if isinstance(node, ast.Attribute)
        and path_of(node) == f"self.{holder.attribute}"
        and isinstance(node.ctx, ast.Load)
    ]
    if not 0 < len(reads) <= _MOST_READS:
        return None
    asked = facts.text(statement.value)
    if "\n" in asked:
        return None
    changes = tuple(Replace(facts.span(node), asked) for node in reads)
    return Fix(f"Ask for `{asked}` where it is used", "unsafe", changes)
