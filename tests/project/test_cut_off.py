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
