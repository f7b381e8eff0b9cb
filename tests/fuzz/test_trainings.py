"""What is said of programs that train is so: 150 of them, put together at random.

`python -m tests.fuzz.run_trainings` does it at length.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from .accelerator import Accelerator
from .claims import Outcome, outcome, told
from .programs.forms import holes
from .trainings.author import FORMS, ROOTS, Author

pytestmark = pytest.mark.slow

COUNT = 150


def test_what_is_said_is_so(accelerator: Accelerator) -> None:
    counts: Counter[tuple[Outcome, bool]] = Counter()
    for number in range(COUNT):
        text = Author(random.Random(number)).program()
        came = outcome(accelerator.run(text))
        said = told(text, came)
        assert not (came is Outcome.RUNS and said), f"number {number} runs: {said}\n{text}"
        counts[came, bool(said)] += 1
    assert counts[Outcome.RUNS, False] > COUNT / 4
    found, missed = counts[Outcome.FAILS, True], counts[Outcome.FAILS, False]
    assert found > COUNT / 4
    assert missed < found / 5, counts


def test_every_form_can_be_used() -> None:
    """Each hole has forms, and each kind of form has a hole."""
    named = {word for texts in FORMS.values() for text in texts for word in holes(text)}
    assert named | set(ROOTS) == set(FORMS)
