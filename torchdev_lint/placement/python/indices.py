"""What stands in the brackets behind a tensor."""

from __future__ import annotations

import ast
from typing import TypeGuard

from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.values import NONE, Const, Scalar, ScalarKind, Tensor, Value


def has_tensor(index: Value) -> bool:
    """Return whether a part of an index certainly is a tensor, or becomes one."""
    parts = index.items or () if _is_tuple(index) else (index,)
    return any(map(_is_tensor_index, parts))


def _is_tuple(value: Value) -> TypeGuard[Sequence]:
    return isinstance(value, Sequence) and value.kind is SequenceKind.TUPLE


def _is_tensor_index(part: Value) -> bool:
    """Whether a part of an index is a tensor, which a list of numbers becomes."""
    if isinstance(part, Sequence) and part.kind is SequenceKind.LIST:
        numbers = part.items or (part.element,)
        return all(map(_is_number, numbers))
    return isinstance(part, Tensor) and (part.scalar is False or part.mask)


def _is_number(value: Value) -> bool:
    if isinstance(value, Const):
        return type(value.value) is int
    return isinstance(value, Scalar) and value.kind is ScalarKind.INT


def axes_of_item(base: Tensor, index: Value, node: ast.expr) -> int | None:
    """Return how many axes a subscript leaves of a tensor, where that is known.

    A number takes one away, `None` adds one; what else may be an index does as it likes.

    Args:
        node: the expression of the index.
    """
    if base.axes is None:
        return None
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    values = index.items if isinstance(index, Sequence) and len(nodes) > 1 else (index,)
    if values is None or len(values) != len(nodes):
        return None
    axes = base.axes
    for part, value in zip(nodes, values, strict=True):
        if isinstance(part, ast.Slice) or value == Const(Ellipsis):
            continue
        if value == NONE:
            axes += 1
        elif _is_number(value):
            axes -= 1
        else:
            return None
    return axes
