"""What a function is given that nobody calls here, and the parts of that."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    NO_TENSOR,
    UNKNOWN,
    Instance,
    Method,
    Place,
    Tensor,
    Unknown,
    Value,
)
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name

_PLAIN = (UNKNOWN, NO_TENSOR)


def tensor_given(uses: Uses | None) -> Tensor:
    """Return a tensor that a function is given: of no axes, unless its uses tell of one."""
    return Tensor(Place.GIVEN, scalar=False if uses is not None and uses.has_axes else None)


def is_given(run: Run, name: str, at: ast.expr) -> bool:
    """Whether a variable is an argument of the entry point at hand, and still what that was given.

    A module's `forward` is left out, what the host's code is given, and constructors: what is
    built may be moved afterwards.

    Args:
        at: where it is read.
    """
    frame = run.frame
    if frame.in_forward or run.serves_host or frame.node is not run.entry:
        return False
    if not isinstance(frame.node, FUNCTIONS) or frame.node.name == "__init__":
        return False
    arguments = frame.node.args
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    if all(argument.arg != name for argument in given):
        return False
    first = run.file.first_stores(frame.node).get(name)
    return first is None or at.lineno <= first


def part_given(run: Run, value: Value, node: ast.Attribute | ast.Subscript) -> Value:
    """Return a part of what a function is given: a tensor, if its uses leave nothing else.

    Args:
        value: what is known of it so far.
        node: the expression that reads it.
    """
    if not (value in _PLAIN or (isinstance(value, Method) and value.bound == UNKNOWN)):
        return value
    path, name = path_of(node), root_name(node)
    if path is None or name is None or not is_given(run, name, node):
        return value
    uses = run.uses_of(path)
    if uses is None or not uses.are_of_tensor_alone():
        return value
    whole = run.uses_of(name)
    is_moved = whole is not None and (whole.moves or whole.members & MOVES)
    if is_moved or name in run.file.off_accelerator(run.frame.node):
        return value
    if isinstance(run.look_up(name), Instance):
        return value
    return tensor_given(uses)


def as_it_is_used(run: Run, name: str, value: Value) -> Value:
    """Take a part of what `forward` was handed for a tensor, if the function uses it as one.

    Of what a structure holds, arithmetic says nothing: it may be a number.

    Args:
        name: the variable that holds it.
        value: what it is given.
    """
    if not isinstance(value, Unknown) or value not in (ARGUMENT, ITEM):
        return value
    uses = run.uses_of(name)
    if uses is None or name in run.file.off_accelerator(run.frame.node):
        return value
    is_list = value == ITEM and uses.converted
    if (uses.speak_for_tensor() and not is_list) or (value == ARGUMENT and uses.may_be_tensor()):
        return Tensor(Place.ACCELERATOR, scalar=False)
    return value
