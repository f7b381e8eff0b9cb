"""Names that Python changes within a class: `__x` in a class `A` is `_A__x`."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.scopes import Syntax


def is_private(name: str) -> bool:
    """Return whether a name means something else in each class."""
    return name.startswith("__") and not name.endswith("__")


def class_around(node: ast.AST, syntax: Syntax) -> ast.ClassDef | None:
    """Return the innermost class that a node is, or is in, if there is one."""
    around = (node, *syntax.around(node))
    return next((part for part in around if isinstance(part, ast.ClassDef)), None)


def is_in_class_of(first: ast.AST, second: ast.AST, syntax: Syntax) -> bool:
    """Return whether private names mean the same at two places."""
    return class_around(first, syntax) is class_around(second, syntax)
