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


def numbered(run: Run, value: Value, device: Value | None, node: ast.AST) -> Value:
    """Note of what is put on an accelerator which one that is, if the code says so itself.

    Args:
        value: what is put there.
        device: what the code says of where; None: nothing.
        node: the expression that puts it there.
    """
    if not isinstance(value, (Tensor, Bundle)):
        return value
    number = number_said(run, value.place, device, node)
    return value if number is None else replace(value, origin=number)


def number_said(run: Run, place: Place, device: Value | None, node: ast.AST) -> Origin | None:
    """Return what puts something on one of several accelerators, if the code says on which one.

    Args:
        place: where it is then.
        device: what the code says of where; None: nothing.
        node: the expression that puts it there.
    """
    if device is None:
        return None
    if place is not Place.ACCELERATOR or not run.supposing or Mood.DOUBT in run.moods:
        return None
    index = index_named(device)
    return None if index is None else run.made(node, OriginKind.NUMBERED, f"cuda:{index}")


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


def find_numbered_module(run: Run, number: Origin, node: ast.Call, operands: list[Operand]) -> None:
    """Note it if a module is on one accelerator, and what it is given certainly on another one.

    Args:
        number: what put the module where it is.
        node: its call.
    """
    for operand in operands:
        origin = _certain(operand)
        if origin is not None and origin.label != number.label:
            nodes, scope = (node.func, operand.node), run.frame.scope
            run.note(Split(origin, "", node, number, nodes, scope, is_call=True))


def _certain(operand: Operand) -> Origin | None:
    """Where an operand was put, if that is one accelerator on all paths."""
    return None if operand.among else common_number(alternatives(operand.value))


def _origin(value: Value) -> Origin | None:
    if not isinstance(value, (Tensor, Bundle)) or value.place is not Place.ACCELERATOR:
        return None
    origin = value.origin
    is_numbered = origin is not None and origin.kind is OriginKind.NUMBERED
    return origin if is_numbered else None
