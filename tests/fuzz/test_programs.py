"""Programs that run do the same when they are fixed: 1,600 of them, made at random.

`python -m tests.fuzz.run_programs` does it at length.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from .accelerator import Accelerator
from .programs.author import FORMS, PLAIN, Author
from .programs.forms import holes
from .running import compare

pytestmark = pytest.mark.slow

SEED = 20


def compared(programs: int, unsafe: bool) -> Counter[str]:
    """Compare programs, which are plain where fixes are unsafe."""
    counts: Counter[str] = Counter()
    author = Author(random.Random(SEED), plain=unsafe)
    for _ in range(programs):
        program = compare(author.program(), unsafe)
        counts["fixed"] += program.fixed > 0
        counts["fixed and run"] += program.runs
    return counts


def test_safe_fixes() -> None:
    counts = compared(1200, unsafe=False)
    assert counts["fixed"] > 300 and counts["fixed and run"] > 225, counts


def test_unsafe_fixes_of_what_is_as_it_seems() -> None:
    counts = compared(400, unsafe=True)
    assert counts["fixed and run"] > 200, counts


def test_what_failed_on_the_accelerator_runs_there(accelerator: Accelerator) -> None:
    mended = 0
    for plain in (False, True):
        author = Author(random.Random(SEED), plain)
        for _ in range(150):
            mended += compare(author.program(), on_accelerator=accelerator.run).mended
    assert mended > 60


@pytest.mark.parametrize("forms", [FORMS, PLAIN], ids=["any", "plain"])
def test_every_form_can_be_used(forms: dict[str, tuple[str, ...]]) -> None:
    """Each hole has forms, and each kind of form has a hole."""
    named = {word for texts in forms.values() for text in texts for word in holes(text)}
    assert named | {"script"} == set(forms)
