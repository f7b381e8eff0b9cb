"""Tracebacks of programs that fail lead to the line that has to be changed."""

from __future__ import annotations

import pytest

from tests.tracebacks.measure import WRONG, failing, measured

pytestmark = pytest.mark.slow

PARTS = 8
"""All fixtures that fail, in so many tests: processes share them out."""


@pytest.mark.parametrize("part", range(PARTS))
def test_tracebacks_lead_to_the_marked_line(part: int) -> None:
    measure = measured(failing()[part::PARTS])
    assert measure.share >= 90, measure.missed
    assert measure.counts[WRONG] == 0, measure.missed
