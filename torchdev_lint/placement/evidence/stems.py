"""Files that are named by a variable: `folder + "/" + name + ".pt"`."""

from __future__ import annotations

import ast
from typing import NamedTuple

from torchdev_lint.syntax.names import last_component

JOINING = frozenset({"join", "joinpath"})
"""Functions that put a path together."""
_PATHS = frozenset({"Path", "PurePath", "str"})
"""What a path is wrapped in."""


class Stem(NamedTuple):
    """What names a file, and the type at its end.

    Args:
        name: the expression of its name.
        type: what is written out behind it, `.pt`.
    """

    name: ast.expr
    type: str


def stem_at_end(file: ast.expr) -> Stem | None:
    """Return what names a file, if that is an expression with the file's type behind it."""
    while True:
        if isinstance(file, ast.Call) and file.args and _joins(file):
            file = file.args[-1]
        elif isinstance(file, ast.BinOp) and isinstance(file.op, ast.Div):
            file = file.right
        else:
            break
    if isinstance(file, ast.JoinedStr) and len(file.values) > 1:
        name, end = file.values[-2:]
        return _stem(name.value if isinstance(name, ast.FormattedValue) else name, end)
    if isinstance(file, ast.BinOp) and isinstance(file.op, ast.Add):
        name = file.left
        if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
            name = name.right
        return _stem(name, file.right)
    return None


def _joins(call: ast.Call) -> bool:
    return last_component(call.func) in JOINING | _PATHS


def _stem(name: ast.expr, end: ast.expr) -> Stem | None:
    if isinstance(name, ast.Constant) or not isinstance(end, ast.Constant):
        return None
    is_type = isinstance(end.value, str) and end.value.startswith(".")
    return Stem(name, str(end.value)) if is_type else None
