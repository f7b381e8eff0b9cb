"""What a tensor is computed from: the name in `-x[:, None].reshape(3) + 1`, of which it all is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from torchdev_lint.catalog.methods import ONLY_TENSOR_METHODS, SAME_TENSOR
from torchdev_lint.catalog.operations import CASTS, HOST_READS, NEUTRAL_FUNCTIONS
from torchdev_lint.syntax.names import path_of

_OF_CONTAINERS = frozenset(name for kind in (dict, list, str) for name in dir(kind))
_KEEPING = (NEUTRAL_FUNCTIONS | ONLY_TENSOR_METHODS | CASTS) - HOST_READS - _OF_CONTAINERS
"""Methods that give a tensor of a tensor, and an array of an array at the most."""


def carrier(node: ast.expr, through_operators: bool = True) -> ast.expr | None:
    """Return the name or attribute that an expression makes a tensor of, if it is only one.

    If the expression gives a tensor, that is one, or else a list of them. A name is itself what it
    is made of.

    Args:
        through_operators: whether the expression may be one with operators in it.
    """
    current: ast.expr | None = node
    while current is not None:
        if isinstance(current, ast.BinOp) and not through_operators:
            return None
        step = _STEPS.get(type(current))
        inner = None if step is None else step(current)
        if inner is None:
            return current if path_of(current) else None
        current = inner
    return None


def _of_method(node: ast.Call) -> ast.expr | None:
    callee = node.func
    return callee.value if isinstance(callee, ast.Attribute) and callee.attr in _KEEPING else None


def _of_sign(node: ast.UnaryOp) -> ast.expr | None:
    return None if isinstance(node.op, ast.Not) else node.operand


def _of_operator(node: ast.BinOp) -> ast.expr | None:
    """The side of an operator that may be a tensor, where the other is a number or the same."""
    if isinstance(node.left, ast.Constant):
        return node.right
    if isinstance(node.right, ast.Constant):
        return node.left
    left, right = carrier(node.left, False), carrier(node.right, False)
    both = left is not None and right is not None and path_of(left) == path_of(right)
    return left if both else None


def _of_subscript(node: ast.Subscript) -> ast.expr | None:
    """What is indexed along several axes; one index may as well pick from a list."""
    return node.value if isinstance(node.slice, ast.Tuple) else None


def _of_attribute(node: ast.Attribute) -> ast.expr | None:
    return node.value if node.attr in SAME_TENSOR else None


_STEPS: dict[type[ast.AST], Callable[[Any], ast.expr | None]] = {
    ast.Attribute: _of_attribute,
    ast.BinOp: _of_operator,
    ast.Call: _of_method,
    ast.Subscript: _of_subscript,
    ast.UnaryOp: _of_sign,
}
"""What each kind of expression computes a tensor of."""


def is_axis(node: ast.expr) -> bool:
    """Whether an argument is the number of an axis, or several."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(is_axis, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int
