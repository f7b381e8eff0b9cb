"""Random numbers that are drawn on one device with a generator of another."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Draw(AtNode):
    """A call draws random numbers on a device, with a generator that is on another, and fails.

    Args:
        node: the call.
        generator: the expression of the generator; None for one that the call has by itself.
        on_host: whether the generator is on the CPU; else what is drawn is.
        by_default: whether it is drawn there since that is the default device.
        scope: dotted name of the function.
        brought: where another file has made that the default device; None if none has.
        elsewhere: where another file draws, if the call at hand has it do so.
    """

    node: ast.Call
    generator: ast.expr | None
    on_host: bool
    by_default: bool
    scope: str
    brought: Site | None = None
    elsewhere: Site | None = None

    def is_about(self, file: File, at_hand: File) -> bool:
        """What another file draws with is told where that is called."""
        return at_hand is file or self.elsewhere is not None

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A handler may take its failure."""
        return frozenset(Mood)
