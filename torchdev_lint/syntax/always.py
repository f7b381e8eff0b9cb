"""What a function evaluates whenever it is called, unless it raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.order import parts_that_run
from torchdev_lint.syntax.walking import walk

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)
"""Statements that hold no others, and go on."""


def always_run(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[ast.AST, ...]:
    """Return what a function evaluates whenever it is called, unless it raises."""
    simple = (each for each in always_reached(function.body) if isinstance(each, _SIMPLE))
    return tuple(part for statement in simple for part in parts_that_run(statement))


def always_reached(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block that certainly run, unless something raises before."""
    for statement in body:
        if any(isinstance(part, ast.Return) for part in walk(statement)):
            return
        yield statement
        if isinstance(statement, ast.With) or (
            isinstance(statement, ast.Try) and not statement.handlers
        ):
            yield from always_reached(statement.body)
        elif isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise):
            yield from always_reached(statement.orelse)
