"""Shapes of code that a linter may find hard: one generator each, of any size."""

from tests.benchmark.shapes import (  # noqa: F401  # imported for the shapes that they register
    by_evidence,
    classes,
    containers,
    control_flow,
    definitions,
    expressions,
    findings,
    many_of_a_rule,
    multiplied_fixtures,
    names,
    saved_and_read,
    thought_of_last,
    tried_against,
    tried_at_the_end,
    tried_on_files,
    tried_once_more,
)
from tests.benchmark.shapes.registry import SHAPES, Shape

__all__ = ["SHAPES", "Shape"]
