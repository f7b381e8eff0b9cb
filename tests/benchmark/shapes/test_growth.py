"""What is done for a file of any shape grows no faster than the file, from reading to fixes.

The calls that it takes are counted. A file four times as large may take eight times as many: what
is quadratic takes sixteen times.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmark.shapes import SHAPES
from tests.benchmark.shapes.__main__ import measured
from tests.benchmark.shapes.counting import Counter
from tests.turns import in_turn

pytestmark = pytest.mark.slow

_MOST = 2.0
"""How many times more calls a character of the larger file may take."""
_NOT_IN_PROPORTION = {"augmented_assignments", "finally_chain"}
"""Fixes that don't hold together take more analyses, up to a number of characters that is the same
for all files."""

_HAS_GROWN = [
    "ifs_at_the_top", "paths", "elifs_with_attributes", "optimizers_of_many_models",
    "classes_that_keep_lists", "names_from_star_imports",
]  # fmt: skip
"""What grew faster than the file only where that is large."""


@pytest.fixture(scope="module")
def counter() -> Iterator[Counter]:
    """A process that counts, for all shapes of this file."""
    counter = Counter()
    yield counter
    counter.end()


def _growth(counter: Counter, name: str, sizes: tuple[int, int], folder: Path) -> float:
    """How many times more calls a character of the larger file takes."""
    calls = []
    for size in sizes:
        alone = folder / str(size)
        alone.mkdir()
        calls.append(counter.calls_for_a_character(name, size, alone))
    return calls[1] / calls[0]


@pytest.mark.parametrize("name", in_turn(sorted(SHAPES.keys() - _NOT_IN_PROPORTION), 0))
def test_calls_are_in_proportion_to_the_size(name: str, counter: Counter, tmp_path: Path) -> None:
    assert _growth(counter, name, (3_000, 12_000), tmp_path) <= _MOST


@pytest.mark.parametrize("name", in_turn(_HAS_GROWN, 1))
def test_what_is_known_already_is_not_all_gone_through(
    name: str, counter: Counter, tmp_path: Path
) -> None:
    """What each assignment, branch or step looked at shows where a lot is known."""
    assert _growth(counter, name, (10_000, 40_000), tmp_path) <= 1.1  # within the budget


@pytest.mark.parametrize("name", ["entries_of_a_batch", "finally_chain", "properties_with_setters"])
def test_memory_is_in_proportion_to_the_size(name: str) -> None:
    """Sets of all there are, one for each of them, took 310 to 1,630 MB for such a file."""
    small, large = measured(SHAPES[name], [3, 300], patience=60)
    assert large.megabytes - small.megabytes < 120
