"""Reads of tensors by the host, if these are certainly on an accelerator."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.conversions import certainly_there
from torchdev_lint.placement.defects.copies import note_early_read, note_method_of_copy
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.values import Bundle, Place, Tensor, Value, alternatives
from torchdev_lint.placement.facts.reads import HostRead, Reading
from torchdev_lint.placement.run import Run


def note_method_read(run: Run, node: ast.Call, receiver: Operand) -> None:
    """Note that a method of a tensor hands what is in it to the host."""
    note_method_of_copy(run, node, receiver)
    _note_read_there(run, node, receiver)


def _note_read_there(run: Run, node: ast.Call, receiver: Operand) -> None:
    if certainly_there(run, receiver):
        run.note(HostRead(node, Reading.CALL, run.frame.scope))


def note_move_read(run: Run, node: ast.Call, receiver: Operand, there: Value) -> None:
    """Note that a move hands a tensor to the host; one that doesn't block waits for nothing.

    Args:
        there: what the move gives.
    """
    if any(keyword.arg in {"non_blocking", None} for keyword in node.keywords):
        return
    if isinstance(there, (Tensor, Bundle)) and there.place is Place.HOST:
        _note_read_there(run, node, receiver)


def note_argument_read(run: Run, node: ast.Call, value: Value | None) -> None:
    """Note that a function reads what is in an argument: `float(loss)`, `print(loss)`."""
    note_early_read(run, node, value)
    if value is not None and _is_tensor_there(value):
        run.note(HostRead(node, Reading.CALL, run.frame.scope))


def note_truth(run: Run, node: ast.expr, value: Value) -> None:
    """Note that a condition asks whether a tensor is true; a structure it asks for its length."""
    if isinstance(value, Tensor):
        note_early_read(run, node, value)
    if _is_tensor_there(value):
        run.note(HostRead(node, Reading.TRUTH, run.frame.scope))


def note_text(run: Run, node: ast.expr, value: Value) -> None:
    """Note that a formatted string writes a tensor out."""
    note_early_read(run, node, value)
    if _is_tensor_there(value):
        run.note(HostRead(node, Reading.TEXT, run.frame.scope))


def _is_tensor_there(value: Value) -> bool:
    """Whether it is a tensor: of a structure that isn't known, other things may be looked up."""
    return all(
        isinstance(option, Tensor) and option.place is Place.ACCELERATOR
        for option in alternatives(value)
    )
