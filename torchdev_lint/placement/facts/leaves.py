"""Moves of leaves, the tensors that are trained: what they give is none."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class MovedLeaf(AtNode):
    """What may be a leaf is moved from the CPU to an accelerator.

    It asks for gradients where it is made, or it is what a variable holds.

    Args:
        node: the move.
        in_module: whether a method of a module does that.
        scope: dotted name of the function.
    """

    node: ast.Call
    in_module: bool
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """Where it is not certain that it leaves the CPU, it may stay a leaf."""
        return frozenset({Mood.DOUBT, Mood.EXPECTED, Mood.WAITING})
