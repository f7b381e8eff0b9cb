"""What works on the CPU or with CUDA, and not on the accelerator at hand, or not at once."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Pinned(AtNode):
    """Memory is to be pinned of what is on an accelerator: only that of the CPU can be.

    Args:
        node: the call that pins, or that makes a loader which does.
        scope: dotted name of the function.
    """

    node: ast.Call
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A handler may take its failure."""
        return frozenset(Mood)


@dataclass(frozen=True, slots=True)
class EarlyRead(AtNode):
    """The host reads what is copied to it in the background.

    Args:
        node: the copy, which doesn't wait.
        read: the expression that reads it.
        shares: whether that may give an array of the same memory, which is read later.
        scope: dotted name of the function.
    """

    node: ast.AST
    read: ast.AST
    shares: bool
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It raises nothing that could be caught."""
        return frozenset({Mood.DOUBT, Mood.EXPECTED, Mood.WAITING})


@dataclass(frozen=True, slots=True)
class DoubleThere(AtNode):
    """Numbers of double precision are put on an accelerator.

    Args:
        node: the call that moves them, or makes them there.
        device: the expression that says where that is.
        scope: dotted name of the function.
    """

    node: ast.AST
    device: ast.AST
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A handler may take its failure."""
        return frozenset(Mood)
