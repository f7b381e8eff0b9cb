"""Tracebacks of programs that fail lead to the line that has to be changed."""

from __future__ import annotations

import pytest

from tests.tracebacks.measure import WRONG, failing, measured
from tests.turns import in_turn

pytestmark = pytest.mark.slow

PARTS = 8
"""All fixtures that fail, in so many tests: processes share them out."""


@pytest.mark.parametrize("part", in_turn(range(PARTS), 0))
def test_tracebacks_lead_to_the_marked_line(part: int) -> None:
    measure = measured(failing()[part::PARTS])
    assert measure.share >= 90, measure.missed
    assert measure.counts[WRONG] == 0, measure.missed
