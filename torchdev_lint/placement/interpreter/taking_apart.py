"""What it tells of a tensor that its shape is taken apart: `b, c, h, w = x.shape`."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.joins import with_axes
from torchdev_lint.placement.domain.values import Bundle, Size, Tensor, Value, alternatives
from torchdev_lint.placement.run import Run


def tell_axes(run: Run, targets: list[ast.expr], node: ast.expr, value: Value) -> None:
    """Note how many axes a variable's tensor has, since its sizes have got a name each.

    Args:
        targets: what is assigned to.
        node: what is taken apart.
        value: what that holds.
    """
    if not isinstance(value, Size) or value.axes is not None:
        return
    subject = _subject(node)
    if subject is None:
        return
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)) and not any(
            isinstance(element, ast.Starred) for element in target.elts
        ):
            held = run.look_up(subject)
            if all(isinstance(option, (Tensor, Bundle)) for option in alternatives(held)):
                run.refine(subject, with_axes(held, len(target.elts)))


def _subject(node: ast.expr) -> str | None:
    """The variable whose `shape` or `size()` an expression is."""
    if isinstance(node, ast.Call):
        is_size = isinstance(node.func, ast.Attribute) and node.func.attr == "size"
        if not is_size or node.args or node.keywords:
            return None
        node = node.func
    elif not (isinstance(node, ast.Attribute) and node.attr == "shape"):
        return None
    assert isinstance(node, ast.Attribute)
    return node.value.id if isinstance(node.value, ast.Name) else None
