"""What happens to plain containers of tensors, which have no methods that move them."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class ContainerMove(AtNode):
    """A list, tuple, set or dict is told to move, as only what it holds can be.

    Args:
        node: the call.
        receiver: what it is called on.
        containers: what that may be.
        kind: what its type is called; empty where it may be of several.
        scope: dotted name of the function.
    """

    node: ast.Call
    receiver: ast.expr
    containers: tuple[Sequence | Mapping, ...]
    kind: str
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It fails wherever it is run, whatever a condition about devices says."""
        return frozenset({Mood.EXPECTED, Mood.WAITING})
