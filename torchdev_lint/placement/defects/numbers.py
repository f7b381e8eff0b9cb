"""Several accelerators, which the code tells apart by their numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Bundle, Place, Tensor, Value, alternatives
from torchdev_lint.placement.evidence.devices import index_named
from torchdev_lint.placement.facts.numbered import Split
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def numbered(run: Run, value: Value, device: Value, node: ast.AST) -> Value:
    """Note of what is put on an accelerator which one that is, if the code says so itself.

    Args:
        value: what is put there.
        device: what the code says of where.
        node: the expression that puts it there.
    """
    index = index_named(device) if run.supposing and Mood.DOUBT not in run.moods else None
    if index is None or not isinstance(value, (Tensor, Bundle)):
        return value
    if value.place is not Place.ACCELERATOR:
        return value
    return replace(value, origin=run.made(node, OriginKind.NUMBERED, f"cuda:{index}"))


def common_number(values: Sequence[Value]) -> Origin | None:
    """Return where all of some values were put on one accelerator, as far as that has a number."""
    origins = [_origin(value) for value in values]
    labels = {None if origin is None else origin.label for origin in origins}
    return origins[0] if len(labels) == 1 else None


def find_numbered(run: Run, name: str, node: ast.AST, operands: list[Operand]) -> None:
    """Note it if two operands are certainly on two accelerators.

    Args:
        name: what the operation is called in a message.
        node: its expression.
    """
    known = [(operand, origin) for operand in operands if (origin := _certain(operand)) is not None]
    for operand, origin in known[1:]:
        first, other = known[0]
        if origin.label != other.label:
            scope = run.frame.scope
            run.note(Split(origin, name, node, other, (first.node, operand.node), scope))


def _certain(operand: Operand) -> Origin | None:
    """Where an operand was put, if that is one accelerator on all paths."""
    return None if operand.among else common_number(alternatives(operand.value))


def _origin(value: Value) -> Origin | None:
    if not isinstance(value, (Tensor, Bundle)) or value.place is not Place.ACCELERATOR:
        return None
    origin = value.origin
    is_numbered = origin is not None and origin.kind is OriginKind.NUMBERED
    return origin if is_numbered else None
