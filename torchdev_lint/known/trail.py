"""The way from an expression back to where its value comes from, step by step."""

from __future__ import annotations

import ast

from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.known import Known
from torchdev_lint.known.sources import Sources
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.records import dataclass

MAX_STEPS = 12
"""How far back it is gone."""


@dataclass(frozen=True, slots=True)
class Step:
    """A place on the way.

    Args:
        node: the expression, target or parameter there.
        known: what is known of it.
        how: how the step before follows from it; empty for the first one.
    """

    node: ast.AST
    known: Known
    how: str


@dataclass(frozen=True, slots=True)
class Trail:
    """The way from an expression to where its value comes from.

    Args:
        steps: the expression itself, then each that it follows from; at least one.
        end: why it isn't gone further: what makes the value, or why nothing is known of it.
        site: the place in another file where it is made, if it is.
    """

    steps: tuple[Step, ...]
    end: str
    site: Site | None = None

    @property
    def last(self) -> Known:
        """Where it ends: where the value is made, or the first thing that isn't known."""
        return self.steps[-1].known

    @property
    def is_open(self) -> bool:
        """Whether it ends at something that isn't known."""
        return self.last.is_open


def trail_to(knowledge: Knowledge, node: ast.AST, place: Place | None = None) -> Trail:
    """Return where the value of an expression comes from.

    Args:
        knowledge: of the file.
        node: an expression of it, a target or a parameter.
        place: where the value lives that is asked about, if it may be in several places.
    """
    sources = Sources(knowledge)
    steps = [Step(node, knowledge.of(node), "")]
    passed = {node}
    while len(steps) < MAX_STEPS:
        source = sources.of(node, passed, place)
        if source.node is None:
            return Trail(tuple(steps), source.how, source.site)
        node = source.node
        passed.add(node)
        steps.append(Step(node, knowledge.of(node), source.how))
    return Trail(tuple(steps), "it is not gone further back")
