"""Copies to the host that don't wait: who reads one at once may read what was there before."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    Bundle,
    Const,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.cuda_only import EarlyRead
from torchdev_lint.placement.run import Run


def note_copy(run: Run, node: ast.Call, source: Tensor | Bundle, arguments: Arguments) -> None:
    """Remember a move to the host that goes on in the background.

    Args:
        source: what is moved.
        arguments: what the move is told.
    """
    if source.place.is_device and arguments.get(-1, "non_blocking") == Const(True):
        run.in_background.add(node)


def note_early_read(run: Run, node: ast.AST, value: Value | None, shares: bool = False) -> None:
    """Note that the host reads a tensor, if that is certainly still being copied there.

    Args:
        node: the expression that reads it.
        value: what it reads.
        shares: whether it may give an array of the same memory, which is read later.
    """
    if not run.in_background or value is None:
        return
    copies = {_copy_of(run, option) for option in alternatives(value)}
    copy = copies.pop() if len(copies) == 1 else None
    if copy is not None:
        run.note(EarlyRead(copy, node, shares, run.frame.scope))


def note_method_of_copy(run: Run, node: ast.Call, receiver: Operand, shares: bool = False) -> None:
    """Note that a method reads a tensor that is still being copied, whatever else it may be.

    Args:
        shares: whether it may give an array of the same memory, which is read later.
    """
    if not receiver.among:
        note_early_read(run, node, receiver.value, shares)


def note_computed(run: Run, node: ast.AST, operands: list[Operand]) -> None:
    """Note that the host computes something of its operands, which it reads for that.

    It can't where others of them are on an accelerator.
    """
    if not run.in_background:
        return
    values = [option for operand in operands for option in alternatives(operand.value)]
    if any(isinstance(o, (Tensor, Bundle)) and o.place is not Place.HOST for o in values):
        return
    for operand in operands:
        note_early_read(run, node, operand.value)


def _copy_of(run: Run, value: Value) -> ast.AST | None:
    """The copy in the background that gave a value, or what that is computed of."""
    if not isinstance(value, (Tensor, Bundle)) or value.origin is None:
        return None
    origin = value.origin
    is_copied = origin.kind is OriginKind.BROUGHT and origin.node in run.in_background
    return origin.node if is_copied else None
