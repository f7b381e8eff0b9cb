"""What it tells of a tensor that its sizes are asked for: `b, c, h, w = x.shape`, `x.size(1)`.

Behind that it has as many axes: a value that has others has raised, and is not there any more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from operator import eq

from torchdev_lint.placement.domain.joins import choice, with_axes
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Const,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.run import Run


def tell_axes(run: Run, targets: list[ast.expr], node: ast.expr) -> None:
    """Note how many axes a variable's tensor has, since its sizes have got a name each.

    Args:
        targets: what is assigned to.
        node: what is taken apart.
    """
    subject = _subject(node)
    if subject is None:
        return
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)) and not any(
            isinstance(element, ast.Starred) for element in target.elts
        ):
            count = len(target.elts)
            _keep(run, subject, partial(eq, count))
            held = run.look_up(subject)
            if all(isinstance(option, (Tensor, Bundle)) for option in alternatives(held)):
                run.refine(subject, with_axes(held, count))


def tell_axis(run: Run, node: ast.Subscript | ast.Call, asked: Value | None) -> None:
    """Note that a variable's tensor has an axis, since its size is asked for.

    Args:
        node: `x.shape[1]`, `x.size()[1]` or `x.size(1)`.
        asked: which one.
    """
    if not isinstance(asked, Const) or type(asked.value) is not int:
        return
    subject = _subject(node.value) if isinstance(node, ast.Subscript) else _owner_of_size(node)
    if subject is not None:
        axis = asked.value
        _keep(run, subject, lambda axes: -axes <= axis < axes)


def _keep(run: Run, subject: str, fits: Callable[[int], bool]) -> None:
    """Leave a variable only what may have as many axes, if there is more than one alternative."""
    held = run.look_up(subject)
    if not isinstance(held, Choice):
        return
    kept = [option for option in held.options if (axes := _axes(option)) is None or fits(axes)]
    if kept and len(kept) < len(held.options):
        run.refine(subject, choice(kept))


def _axes(value: Value) -> int | None:
    return value.axes if isinstance(value, Tensor) else None


def _subject(node: ast.expr) -> str | None:
    """The variable whose `shape` or `size()` an expression is."""
    if isinstance(node, ast.Call):
        return None if node.args or node.keywords else _owner_of_size(node)
    if not (isinstance(node, ast.Attribute) and node.attr == "shape"):
        return None
    return node.value.id if isinstance(node.value, ast.Name) else None


def _owner_of_size(node: ast.Call) -> str | None:
    """The variable whose `size` is called."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr != "size":
        return None
    return function.value.id if isinstance(function.value, ast.Name) else None
