"""What happens to optimizers when the models are changed whose parameters they hold."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import OfOrigin
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class StaleState(OfOrigin):
    """An optimizer steps with a state that was made on the host, before its model was moved.

    Args:
        origin: what filled the state.
        step: the step, None if that is in another file.
        models: what the code calls those of its models that were moved, where it is built.
    """

    step: ast.AST | None
    models: tuple[str, ...]

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A handler may take its failure."""
        return frozenset(Mood)


@dataclass(frozen=True, slots=True)
class Untaken(OfOrigin):
    """An optimizer steps that was built before a part of its model: it doesn't have that.

    Args:
        origin: the construction of the optimizer.
        part: what the model calls the part; empty if the whole model is another one by now.
        model: what the code calls the model where the optimizer is built.
    """

    part: str
    model: str

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It raises nothing that could be caught."""
        return frozenset({Mood.DOUBT, Mood.EXPECTED, Mood.WAITING})
