"""Calls that raise, on every machine or on an accelerator, and what stands behind them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.conversions import Conversion
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.order import runs_with
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_RUNNING_THEIR_BODY = (ast.With, ast.AsyncWith, ast.For, ast.AsyncFor)
"""Statements that fail if one of their body does: a loop runs at least once."""


@dataclass(frozen=True, slots=True)
class Fails(AtNode):
    """A call, the node, raises on every machine, whatever its function is given."""

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It fails wherever it is run, whatever a condition about devices says."""
        return frozenset({Mood.EXPECTED, Mood.WAITING})


class Behind:
    """The code of a file that stands behind calls that raise.

    Args:
        syntax: the file's.
        failing: the calls.
    """

    def __init__(self, syntax: Syntax, failing: Iterable[ast.AST]) -> None:
        self._syntax = syntax
        self._failing = set[ast.stmt]()
        for call in failing:
            statement = self._syntax.statement(call)
            if statement is not None and runs_with(statement, call):
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


class Unreached(Behind):
    """The code of a file that stands behind a call that raises on every machine.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts.syntax, (failing.node for failing in facts.of(Fails)))


class BehindArrays:
    """The code of modules behind an array of what they compute, which raises on an accelerator.

    Where nothing shows that they are on one, they are on the CPU.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        made: dict[str, list[ast.AST]] = {}
        for conversion in facts.of(Conversion):
            if not conversion.model or not conversion.makes_array or conversion.elsewhere:
                continue
            if conversion.is_certain(facts.derived(Proof)):
                made.setdefault(conversion.model, []).append(conversion.node)
        self._behind = {model: Behind(facts.syntax, nodes) for model, nodes in made.items()}

    def has(self, model: str, node: ast.AST) -> bool:
        """Whether a node stands behind such an array in the code of a class, or makes it."""
        return model in self._behind and self._behind[model].has(node)
