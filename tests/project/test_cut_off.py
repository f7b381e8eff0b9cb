"""What is known after a call of another file's function that was too much to be run whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import lines, write

MAIN = """
import torch
from torch import nn

from tracing import traced

model = nn.Linear(4, 4)
x = torch.rand(2, 4)
traced(model)
print(model(x))
"""
TRACING = """
def traced(model):
    model.to("cuda")
{steps}
    return model{back}
"""


@pytest.mark.parametrize(
    ("steps", "back", "expected"),
    [
        (1, "", [("TDL005", 8)]),
        (1, '.to("cpu")', []),
        (5_000, '.to("cpu")', []),
    ],
)
def test_moved_in_between(tmp_path: Path, steps: int, back: str, expected: object) -> None:
    """Where a module is that was moved before the budget was spent depends on what comes then."""
    text = TRACING.format(steps="    print(model.training)\n" * steps, back=back)
    write(tmp_path, {"main.py": MAIN, "tracing.py": text})
    assert lines(tmp_path) == expected


LATE = """
import torch
from torch import nn

from tracing import traced

model = nn.Linear(4, 4)
traced(model)
print(model(torch.rand(2, 4, device="cuda")))
"""
LATE_TRACING = """
def traced(model):
{steps}
    model.{does}
"""


@pytest.mark.parametrize(
    ("steps", "does", "expected"),
    [
        (1, "eval()", [("TDL012", 7)]),
        (1, 'to("cuda")', []),
        (5_000, 'to("cuda")', []),
    ],
)
def test_moved_after_that(tmp_path: Path, steps: int, does: str, expected: object) -> None:
    """What the call was given may be moved by what was not looked at any more."""
    text = LATE_TRACING.format(steps="    print(model.training)\n" * steps, does=does)
    write(tmp_path, {"main.py": LATE, "tracing.py": text})
    assert lines(tmp_path) == expected
