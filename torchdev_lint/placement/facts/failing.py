"""Calls that raise on every machine, wherever anything lives."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.order import runs_with
from torchdev_lint.syntax.scopes import FUNCTIONS

_RUNNING_THEIR_BODY = (ast.With, ast.AsyncWith, ast.For, ast.AsyncFor)
"""Statements that fail if one of their body does: a loop runs at least once."""


@dataclass(frozen=True, slots=True)
class Fails(AtNode):
    """A call, the node, raises on every machine, whatever its function is given."""

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It fails wherever it is run, whatever a condition about devices says."""
        return frozenset({Mood.EXPECTED, Mood.WAITING})


class Unreached:
    """The code of a file that stands behind a call that raises on every machine.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._syntax = facts.syntax
        self._failing = set[ast.stmt]()
        for failing in facts.of(Fails):
            statement = self._syntax.statement(failing.node)
            if statement is not None and runs_with(statement, failing.node):
                self._failing.add(statement)
        self._ending = set[ast.AST](self._failing)
        for statement in self._failing:
            node: ast.AST = statement
            for part in self._syntax.around(node):
                if not isinstance(part, _RUNNING_THEIR_BODY) or node not in part.body:
                    break
                self._ending.add(part)
                node = part

    def has(self, node: ast.AST) -> bool:
        """Whether code is in such a statement, or behind one in the same function."""
        if not self._failing:
            return False
        for part in (node, *self._syntax.around(node)):
            if part in self._failing or any(map(self._ending.__contains__, self._before(part))):
                return True
            if isinstance(part, FUNCTIONS):
                break
        return False

    def _before(self, part: ast.AST) -> list[ast.stmt]:
        """The statements of its block before one; those of a module may be run on their own."""
        if not isinstance(part, ast.stmt) or self._syntax.parent(part) is self._syntax.tree:
            return []
        block = self._syntax.block(part)
        return block[: block.index(part)] if block else []
