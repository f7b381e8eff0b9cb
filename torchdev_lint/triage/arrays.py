"""Which calls may make arrays of tensors that are on an accelerator, going by names."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import ARRAYS_OF_LISTS, ARRAYS_OF_TENSORS
from torchdev_lint.syntax.names import last_component

_TAKERS = frozenset(name.rpartition(".")[2] for name in ARRAYS_OF_LISTS | ARRAYS_OF_TENSORS)
_ON_HOST = frozenset({"cpu", "item", "tolist", "numpy"})
"""Methods whose result is on the host, and all that is made of it by further methods."""


def may_make_array(node: ast.Call) -> bool:
    """Whether a call may make an array of a tensor that is not on the host."""
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == "numpy":
        return _may_be_away(function.value)
    if last_component(function) not in _TAKERS:
        return False
    given = (*node.args, *(keyword.value for keyword in node.keywords))
    return any(map(_may_be_away, given))


def _may_be_away(node: ast.expr) -> bool:
    """Whether an expression may give a tensor that nothing in it has brought to the host."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Call):
            if last_component(node.func) in _ON_HOST:
                return False
            node = node.func
        else:
            node = node.value
    return not isinstance(node, ast.Constant)
