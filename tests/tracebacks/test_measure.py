"""Tracebacks of programs that fail lead to the line that has to be changed."""

from __future__ import annotations

import pytest

from tests.tracebacks.measure import WRONG, failing, measured

pytestmark = pytest.mark.slow

EVERY = 8
"""All of them take two minutes: `python -m tests.tracebacks.measure`."""


def test_tracebacks_lead_to_the_marked_line() -> None:
    measure = measured(failing()[::EVERY])
    assert measure.share >= 90, measure.missed
    assert measure.counts[WRONG] == 0, measure.missed
