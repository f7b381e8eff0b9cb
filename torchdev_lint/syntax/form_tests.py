"""Conditions about the form of a tensor: whether it has a dimension at all."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.syntax.comparisons import COMPARISONS, MIRRORED
from torchdev_lint.syntax.names import dotted

_COUNTS_DIMENSIONS = frozenset({"dim", "ndim", "ndimension"})
_GIVES_SHAPE = frozenset({"shape", "size"})
_RANKS = range(8)
"""Numbers of dimensions by which a condition is tried out."""


def is_scalar_where(test: ast.expr, taken: bool) -> tuple[ast.expr, bool] | None:
    """Return what a condition says of the dimensions of a tensor.

    `x.dim() == 0`, `len(x.shape) > 1`, `x.shape == ()` and the like, or `x.ndim` itself.

    Args:
        test: the condition.
        taken: whether it is true.

    Returns:
        The expression of the tensor, and whether that has no dimension; None where the condition
        doesn't settle it.
    """
    asked = _asked(test)
    if asked is None:
        return None
    tensor, holds = asked
    fitting = [rank for rank in _RANKS if holds(rank) is taken]
    if not fitting or (0 in fitting and len(fitting) > 1):
        return None
    return tensor, 0 in fitting


def _asked(test: ast.expr) -> tuple[ast.expr, Callable[[int], bool]] | None:
    """The tensor that a condition is about, and for which numbers of dimensions it is true."""
    if not isinstance(test, (ast.Compare, ast.Attribute, ast.Call)):
        return None  # most conditions are names, and are asked often
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, op, right = test.left, type(test.ops[0]), test.comparators[0]
        if _number(left) is not None:
            left, op, right = right, MIRRORED.get(op, op), left
        compared, number = COMPARISONS.get(op), _number(right)
        if compared is not None and (tensor := _of_rank(left)) is not None and number is not None:
            return tensor, lambda rank: compared(rank, number)
        if op in {ast.Eq, ast.NotEq} and _is_empty(right) and (tensor := _of_shape(left)):
            return tensor, lambda rank: (rank == 0) is (op is ast.Eq)
        return None
    tensor = _of_rank(test) or _of_shape(test)
    return None if tensor is None else (tensor, bool)


def _of_rank(node: ast.expr) -> ast.expr | None:
    """The tensor whose dimensions an expression counts."""
    if isinstance(node, ast.Call) and dotted(node.func) == "len" and len(node.args) == 1:
        return _of_shape(node.args[0])
    return _read_of(node, _COUNTS_DIMENSIONS)


def _of_shape(node: ast.expr) -> ast.expr | None:
    """The tensor whose shape an expression is."""
    return _read_of(node, _GIVES_SHAPE)


def _read_of(node: ast.expr, names: frozenset[str]) -> ast.expr | None:
    """What an attribute of one of these names, or a method without arguments, is read of."""
    is_method = isinstance(node, ast.Call) and not (node.args or node.keywords)
    read = node.func if isinstance(node, ast.Call) and is_method else node
    return read.value if isinstance(read, ast.Attribute) and read.attr in names else None


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _is_empty(node: ast.expr) -> bool:
    """Whether an expression is the shape of what has no dimension."""
    if isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == "Size":
        return not node.keywords and (not node.args or _is_empty(node.args[0]))
    return isinstance(node, (ast.Tuple, ast.List)) and not node.elts
