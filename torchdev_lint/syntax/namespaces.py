"""Dicts that hold what an object has: what code does with them."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax

NAMESPACE = "__dict__"
"""The attribute that has all others, which code may set there."""
_READING = frozenset({"copy", "get", "items", "keys", "values"})
"""Methods of dicts that leave them as they are."""
_COPYING = frozenset(
    "copy deepcopy dict dump dumps format len list pformat pprint print repr sorted str".split()
)
"""Functions that leave the dict as it is which they are handed."""


def is_only_read(node: ast.expr, syntax: Syntax) -> bool:
    """Return whether the dict that an expression gives is only read where it is given.

    Args:
        node: the expression.
        syntax: the file it stands in.
    """
    taker = syntax.parent(node)
    if isinstance(taker, ast.Attribute):
        return taker.attr in _READING
    if isinstance(taker, ast.Subscript):
        return taker.value is node and isinstance(taker.ctx, ast.Load)
    if isinstance(taker, ast.Call):
        return last_component(taker.func) in _COPYING
    if isinstance(taker, ast.keyword):
        return taker.arg is None  # `**vars(x)`
    if isinstance(taker, (ast.For, ast.comprehension)):
        return taker.iter is node
    if isinstance(taker, ast.Assign) and len(taker.targets) == 1:
        return _is_only_read_as(taker.targets[0], syntax)
    return isinstance(taker, ast.Compare)


def _is_only_read_as(target: ast.expr, syntax: Syntax) -> bool:
    """Whether the dict is only read by the variable that it is kept in, wherever that is read."""
    if not isinstance(target, ast.Name):
        return False
    reads = syntax.named(target.id, syntax.scope(target))
    return all(_is_read(read, syntax) for read in reads if isinstance(read.ctx, ast.Load))


def _is_read(node: ast.expr, syntax: Syntax) -> bool:
    """Whether a use of a dict reads it, and keeps it nowhere else."""
    return not isinstance(syntax.parent(node), ast.Assign) and is_only_read(node, syntax)
