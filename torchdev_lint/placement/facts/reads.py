"""Reads of tensors on an accelerator by the host, which waits until they are computed."""

from __future__ import annotations

import ast
from enum import Enum

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import AtNode
from torchdev_lint.records import dataclass


class Reading(Enum):
    """How the host reads a tensor."""

    CALL = "a method or function gives what is in it"
    TRUTH = "a condition asks whether it is true"
    TEXT = "it is written out"


@dataclass(frozen=True, slots=True)
class HostRead(AtNode):
    """The host reads what is in a tensor that is on an accelerator: that works, and takes a while.

    Args:
        node: the call, or the tensor where a condition or a formatted string reads it.
        reading: which of these it is.
        scope: dotted name of the function.
    """

    node: ast.expr
    reading: Reading
    scope: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """Where it is not certain that it is on the accelerator, nobody may have to wait."""
        return frozenset({Mood.DOUBT, Mood.EXPECTED})
