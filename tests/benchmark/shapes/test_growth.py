"""What is done for a file of any shape grows no faster than the file, from reading to fixes.

The calls that it takes are counted, as they are the same however much else the machine does. A file
four times as large may take eight times as many: what is quadratic takes sixteen times.
"""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest

from tests.benchmark.cost import load_what_loads_late
from tests.benchmark.shapes import SHAPES, Shape
from torchdev_lint.checking import check_file
from torchdev_lint.report import Task
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.discovery import Target
from torchdev_lint.stack import on_new_stack

pytestmark = pytest.mark.slow

_SMALL, _LARGE = 3_000, 12_000
_MOST = 2.0
"""How many times more calls a character of the larger file may take."""
_TOO_DEEP = {"findings_on_one_line", "sum_of_tensors"}
"""Each operator with a finding lies within the next one: the way out of it grows with the file."""


def _calls_for_a_character(shape: Shape, size: int, folder: Path) -> float:
    text = shape.of_size(size)
    path = folder / f"{size}.py"
    path.write_text(text)
    profile = cProfile.Profile()

    def check() -> object:
        return profile.runcall(check_file, Task(Target(str(path), named=True), BY_DEFAULT))

    on_new_stack(check)  # all that is done then is done in this thread, until that is too deep
    return sum(entry.callcount for entry in profile.getstats()) / len(text)


@pytest.mark.parametrize("name", sorted(SHAPES.keys() - _TOO_DEEP))
def test_calls_are_in_proportion_to_the_size(name: str, tmp_path: Path) -> None:
    load_what_loads_late()
    small, large = (
        _calls_for_a_character(SHAPES[name], size, tmp_path) for size in (_SMALL, _LARGE)
    )
    assert large <= _MOST * small


@pytest.mark.parametrize("name", ["ifs_at_the_top", "paths"])
def test_parts_that_are_known_are_not_all_gone_through(name: str, tmp_path: Path) -> None:
    """What each assignment and each tensor looked at shows where a lot is known of parts."""
    load_what_loads_late()
    small, large = (
        _calls_for_a_character(SHAPES[name], size, tmp_path) for size in (12_000, 48_000)
    )
    assert large <= 1.1 * small
