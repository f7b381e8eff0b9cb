"""What has to be so for the statements of a module to be run."""

from __future__ import annotations

import ast
from typing import TypeAlias

Condition: TypeAlias = tuple[ast.expr | None, bool]
"""A condition, and how it turns out; None is what no condition says: an exception."""


class Branches:
    """The statements of a module that stand in branches.

    Args:
        tree: the module's.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._around: dict[ast.stmt, tuple[Condition, ast.stmt]] = {}
        pending: list[ast.stmt] = list(tree.body)
        while pending:
            outer = pending.pop()
            for statements, condition in _bodies(outer):
                self._around.update((each, (condition, outer)) for each in statements)
                pending += statements

    def conditions_of(self, statement: ast.stmt, most: int) -> list[Condition]:
        """Return what has to be so for a statement to be run, innermost first.

        Args:
            most: how many of them are told; if there are more, something is that no condition says.
        """
        found: list[Condition] = []
        while statement in self._around:
            if len(found) == most:
                return [*found, (None, True)]
            condition, statement = self._around[statement]
            if condition != _ALWAYS:
                found.append(condition)
        return found


_ALWAYS: Condition = (None, False)


def _bodies(statement: ast.stmt) -> list[tuple[list[ast.stmt], Condition]]:
    """The statements in another one, and what has to be so for them to be run."""
    if isinstance(statement, ast.If):
        return [
            (statement.body, (statement.test, True)),
            (statement.orelse, (statement.test, False)),
        ]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [(statement.body, _ALWAYS)]
    if isinstance(statement, ast.Try):
        always = [*statement.body, *statement.orelse, *statement.finalbody]
        handlers = [(handler.body, (None, True)) for handler in statement.handlers]
        return [(always, _ALWAYS), *handlers]
    return []
