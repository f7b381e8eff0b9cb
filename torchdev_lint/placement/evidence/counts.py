"""Which variables of a function hold single numbers, and which tensors hold sizes.

The former is told by what is done with them, or by the docstring. `torch.zeros(n)` has no
dimensions where `n` is an empty tuple. What the same function uses as one of several numbers of a
size, counts up to, compares with a number, or divides, is no tuple.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

from torchdev_lint.catalog.factories import SIZED
from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.placement.evidence.preparation import is_size
from torchdev_lint.syntax.names import last_component

_SIZED = SIZED | {"Tensor", "FloatTensor", "LongTensor"}
"""Functions that take a size as numbers, or as one sequence."""
_OF_FEATURES = LAYERS - {"LayerNorm", "RMSNorm"}
"""Layers whose first two arguments are numbers: those left out take a shape."""
_NOT_OF_TUPLES = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_NUMBERS = frozenset({"range", "int", "float", "sqrt", "log"})
"""Functions whose arguments are numbers, or tensors; no tuples."""
_RESHAPING = frozenset({"view", "reshape", "expand", "repeat", "new_zeros", "new_ones"})
"""Methods that take sizes as numbers, or as one sequence."""


_OF_DATA = frozenset({"tensor", "as_tensor", "asarray", "LongTensor", "IntTensor"})
"""Functions that make a tensor of numbers."""


def holds_sizes(node: ast.AST) -> bool:
    """Whether a tensor is made of nothing but sizes: `torch.tensor([y.size(1) for y in x])`."""
    if not (isinstance(node, ast.Call) and node.args):
        return False
    given = node.args[0]
    if isinstance(given, ast.ListComp):
        given = given.elt
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    return (
        last_component(node.func) in _OF_DATA
        and bool(parts)
        and all(is_size(part, {}) for part in parts)
    )


def counts(nodes: Iterable[ast.AST], told: Set[str] = frozenset()) -> frozenset[str]:
    """Return the variables that are used as single numbers, and are not assigned to.

    Where the code asks for the type of one, it may be something else as well.

    Args:
        nodes: all of a function.
        told: the parameters that are numbers by what its docstring says.
    """
    found, stored = set(told), set[str]()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.add(node.id)
        elif isinstance(node, ast.Call) and last_component(node.func) == "isinstance":
            stored.update(part.id for part in node.args[:1] if isinstance(part, ast.Name))
        elif isinstance(node, (ast.Call, ast.BinOp, ast.Compare)):
            found.update(part.id for part in _numbers(node) if isinstance(part, ast.Name))
    return frozenset(found - stored)


def _numbers(node: ast.Call | ast.BinOp | ast.Compare) -> Iterator[ast.expr]:
    """Yield the operands of an expression that are single numbers."""
    if isinstance(node, ast.BinOp):
        beside = isinstance(node.op, ast.Add) and any(map(_is_number, (node.left, node.right)))
        if beside or isinstance(node.op, _NOT_OF_TUPLES):
            yield from (node.left, node.right)
        return
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        if any(map(_is_number, parts)) and all(isinstance(op, _ORDERS) for op in node.ops):
            yield from parts
        return
    name = last_component(node.func)
    if name in _OF_NUMBERS:
        yield from node.args
    elif name in _OF_FEATURES:
        yield from node.args[:2]
    elif name in _SIZED | _RESHAPING and len(node.args) > 1:
        yield from node.args
    elif name in _SIZED | {"full"} and node.args and isinstance(node.args[0], ast.Tuple):
        yield from node.args[0].elts


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
