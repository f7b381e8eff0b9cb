"""What is moved, going by the names of methods: where it is made, or as a statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.factories import FILLED_ALIKE
from torchdev_lint.catalog.methods import KEPT_BY_ASSIGNMENT, TO_ACCELERATOR
from torchdev_lint.catalog.operations import ACCOMPANIED, NEUTRAL_FUNCTIONS, SAME_RANK_CASTS
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.names import last_component
from torchdev_lint.triage.recognition import MayBeHost, may_be_cpu

MOVING = TO_ACCELERATOR | {"to", "type_as"}
"""Methods that may move something to the accelerator."""
_FILLED = frozenset(name.rpartition(".")[2] for name in FILLED_ALIKE)
_OF_ONE_TENSOR = (NEUTRAL_FUNCTIONS | SAME_RANK_CASTS) - ACCOMPANIED
"""Methods that leave a tensor where it is, and which nothing meets it in."""


def moved_at_once(
    node: ast.Call, function: ast.Attribute, may_be_host: MayBeHost
) -> ast.expr | None:
    """Return what is moved as soon as it is made: `torch.ones(3)` in `torch.ones(3)[None].cuda()`.

    Nobody ever sees it on the host.

    Args:
        node: a call of a method that moves.
        function: that method.
        may_be_host: tells of a variable whether it is a parameter that may name the host.
    """
    moves = _moves_away(node, function.attr, may_be_host)
    return before_views(function.value) if moves else None


def is_filled(made: ast.expr) -> bool:
    """Whether an expression is the call of a factory that fills memory with the same everywhere."""
    return isinstance(made, ast.Call) and last_component(made.func) in _FILLED


def before_views(made: ast.expr) -> ast.expr:
    """Return of what an expression is a part, or another view: `x` for `x[None].expand(3, 4)`."""
    while True:
        if isinstance(made, ast.Subscript):
            made = made.value
        elif (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Attribute)
            and made.func.attr in _OF_ONE_TENSOR
        ):
            made = made.func.value
        else:
            return made


def _moves_away(node: ast.Call, method: str, may_be_host: MayBeHost) -> bool:
    """Whether a call moves something, and certainly not to the host."""
    if method != "to":
        return method in TO_ACCELERATOR or bool(node.args)
    device = destination(node)
    if device is None or last_component(device) not in DEVICE_NAMES:
        return False
    return not may_be_cpu(device, may_be_host)


def moves_device(node: ast.Call, function: ast.Attribute) -> bool:
    """Whether a call may move something: `x.to(y.dtype)` is a cast.

    Args:
        node: a call of a method that moves.
        function: that method.
    """
    device = destination(node)
    if device is None:
        return function.attr in TO_ACCELERATOR
    return not (isinstance(device, ast.Attribute) and device.attr == "dtype")


def throws_a_move_away(node: ast.expr) -> bool:
    """Whether an expression statement moves or casts something, and keeps nothing."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in KEPT_BY_ASSIGNMENT
        for part in _statement_parts(node)
    )


def _statement_parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        yield from _statement_parts(node.elt)
    elif isinstance(node, ast.DictComp):
        yield from _statement_parts(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _statement_parts(node.body)
        yield from _statement_parts(node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield from _statement_parts(node.values[-1])
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _statement_parts(element)
    else:
        yield node
