"""Numbers of double precision that go to an accelerator: not each has them."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.values import Bundle, DtypeValue, Place, Tensor
from torchdev_lint.placement.facts.cuda_only import DoubleThere
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.calls import destination


def is_told_double(arguments: Arguments) -> bool | None:
    """Whether a call is told to give numbers of double precision; None if it is told no dtype."""
    given = [value for value in arguments.values() if isinstance(value, DtypeValue)]
    return given[-1].double if given else None


def is_double(tensor: Tensor | Bundle, arguments: Arguments) -> bool:
    """Whether what a move or cast gives is certainly of double precision.

    Args:
        tensor: what is moved or cast.
        arguments: what the call is told.
    """
    told = is_told_double(arguments)
    return told if told is not None else isinstance(tensor, Tensor) and tensor.double


def note_double(
    run: Run,
    place: Place,
    device: ast.AST | None,
    node: ast.AST,
    receiver: Operand | None = None,
) -> None:
    """Note that numbers of double precision are put where an expression says.

    Args:
        place: where that is.
        device: the expression; None if there is none.
        node: the call that puts them there.
        receiver: what that is a method of. One of several that it may be is not certain.
    """
    if receiver is not None and receiver.among:
        return
    if place is Place.ACCELERATOR and device is not None:
        run.note(DoubleThere(node, device, run.frame.scope))


def device_of_move(node: ast.AST) -> ast.expr | None:
    """Return what a move is told of a device: `device` in `x.to(device)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return destination(node) if node.func.attr == "to" else None
