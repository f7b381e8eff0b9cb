"""Memory that is to be pinned of what is on an accelerator."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.doubles import device_of_move
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.values import Place, Tensor, Unknown, Value, alternatives
from torchdev_lint.placement.facts.cuda_only import Pinned
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names


def note_pinned(run: Run, node: ast.Call, receiver: Operand) -> None:
    """Note that a tensor is told to be pinned which is certainly on the accelerator.

    What a module is called with is only taken to be there.
    """
    if run.frame.in_forward:
        return
    device = device_of_move(receiver.node)
    if device is not None and is_left_open(run, device):
        return
    if not receiver.among and _is_there(receiver.value):
        run.note(Pinned(node, run.frame.scope))


def is_left_open(run: Run, device: ast.AST | None) -> bool:
    """Whether a device is what the code at hand is told, or not known.

    What is pinned right where it goes there speaks for the CPU then, whatever it is called.
    """
    if not isinstance(device, ast.expr):
        return True
    if any(isinstance(option, Unknown) for option in alternatives(run.evaluate(device))):
        return True
    entered = run.frame.node
    if entered is not run.entry or not isinstance(device, ast.Name):
        return False
    return isinstance(entered, FUNCTIONS) and device.id in parameter_names(entered)


def note_pinned_there(run: Run, node: ast.AST, value: Value) -> None:
    """Note that what a call makes is to be pinned, if some of it is certainly on the accelerator.

    Args:
        value: a tensor, or what holds some.
    """
    if isinstance(node, ast.Call) and _holds_some(value):
        run.note(Pinned(node, run.frame.scope))


def _holds_some(value: Value) -> bool:
    """Whether some of what is certainly held is on the accelerator: all of it is to be pinned."""
    return all(_is_there(option) for option in alternatives(value))


def _is_there(value: Value) -> bool:
    if isinstance(value, Sequence):
        held = (value.element, *value.together) if value.items is None else value.items
        return any(map(_holds_some, held))
    if isinstance(value, Mapping):
        return any(_holds_some(item) for _, item in value.items)
    return isinstance(value, Tensor) and value.place is Place.ACCELERATOR
