"""Annotated assignments: `x: Tensor = f()` assigns as `x = f()` does.

Outside of classes the annotation is no more than a note. There such a statement becomes a plain
assignment, and keeps the note: whatever looks at assignments need not know of two kinds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements, handlers and cases that hold what is made of statements."""


def plain_assignments(tree: ast.Module) -> ast.Module:
    """Make plain assignments of the annotated ones outside of classes, and return the tree.

    Args:
        tree: it is changed in place. Of a class what its methods assign is changed only: the
            annotations of its own body make fields of it.
    """
    for block, index, statement, value in list(_annotated_in(tree)):
        block[index] = plain = ast.copy_location(ast.Assign([statement.target], value), statement)
        plain.annotation = statement.annotation  # type: ignore[attr-defined]  # see `annotation_of`
    return tree


def has_annotated_assignments(tree: ast.Module) -> bool:
    """Return whether `plain_assignments` would change a tree."""
    return next(_annotated_in(tree), None) is not None


def annotation_of(statement: ast.Assign) -> ast.expr | None:
    """Return the annotation that a plain assignment was written with, if there was one."""
    return getattr(statement, "annotation", None)


def _annotated_in(tree: ast.Module) -> Iterator[tuple[list[ast.AST], int, ast.AnnAssign, ast.expr]]:
    """Yield the block, the place in it, the statement and its value."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        for name in _BLOCKS:
            block: object = getattr(node, name, None)
            if not isinstance(block, list):  # there is none, or it is what a lambda gives
                continue
            for index, part in enumerate(block):
                if isinstance(part, ast.AnnAssign):
                    if part.value is not None and not isinstance(node, ast.ClassDef):
                        yield block, index, part, part.value
                elif not isinstance(part, _SIMPLE):
                    pending.append(part)


_SIMPLE = (ast.Expr, ast.Assign, ast.Return, ast.AugAssign, ast.Import, ast.ImportFrom)
"""What holds no statements, and is frequent."""
