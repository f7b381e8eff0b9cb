"""Moves that are bound to variables which nobody reads, while the tensors stay in containers."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class LostMove(AtNode):
    """A tensor is moved, and what that gives is lost with the variable it is bound to.

    Args:
        node: the move.
        place: the assignment, or the comprehension whose result is thrown away.
        loop: the loop, or the comprehension, that takes the tensors; None: a function was given
            one.
        holders: what has the tensors still.
        scope: dotted name of the function.
    """

    node: ast.Call
    place: ast.Assign | ast.DictComp
    loop: ast.For | ast.AsyncFor | ast.DictComp | None
    holders: tuple[ast.expr, ...]
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It raises nothing that could be caught."""
        return frozenset({Mood.EXPECTED})
