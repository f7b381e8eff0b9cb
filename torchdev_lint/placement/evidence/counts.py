"""Which variables of a function hold single numbers, going by what is done with them.

`torch.zeros(n)` has no dimensions where `n` is an empty tuple. What the same function uses as one
of several numbers of a size, counts up to, or divides, is no tuple.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.factories import SIZED
from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.syntax.names import last_component

_SIZED = SIZED | {"Tensor", "FloatTensor", "LongTensor"}
"""Functions that take a size as numbers, or as one sequence."""
_OF_FEATURES = LAYERS - {"LayerNorm", "RMSNorm"}
"""Layers whose first two arguments are numbers: those left out take a shape."""
_NOT_OF_TUPLES = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


def counts(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables that are used as single numbers, and are not assigned to.

    Args:
        nodes: all of a function.
    """
    found, stored = set[str](), set[str]()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.add(node.id)
        elif isinstance(node, (ast.Call, ast.BinOp)):
            found.update(part.id for part in _numbers(node) if isinstance(part, ast.Name))
    return frozenset(found - stored)


def _numbers(node: ast.Call | ast.BinOp) -> Iterator[ast.expr]:
    """Yield the operands of an expression that are single numbers."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, _NOT_OF_TUPLES):
            yield from (node.left, node.right)
        return
    name = last_component(node.func)
    if name == "range":
        yield from node.args
    elif name in _OF_FEATURES:
        yield from node.args[:2]
    elif name in _SIZED and len(node.args) > 1:
        yield from node.args
    elif name in _SIZED | {"full"} and node.args and isinstance(node.args[0], ast.Tuple):
        yield from node.args[0].elts
