"""What happens to values on several accelerators."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.facts.events import OfOrigin
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Split(OfOrigin):
    """Two values meet that the code has put on two accelerators.

    Args:
        origin: what has put the second one where it is.
        operation: what the code calls the operation.
        node: the operation's expression.
        other: what has put the first one where it is.
        operands: the expressions of the first and the second one.
        scope: dotted name of the function in which they meet.
        is_call: whether the first one is a module, which is given the second one.
    """

    operation: str
    node: ast.AST
    other: Origin
    operands: tuple[ast.AST, ast.AST]
    scope: str
    is_call: bool = False

    def is_about(self, file: File, at_hand: File) -> bool:
        """All its places are told."""
        return self.origin.file is self.other.file is file is at_hand

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A handler may take its failure."""
        return frozenset(Mood)
