"""Parts of another file: they are built and called with what is written there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import lines, write

PARTS = """
from torch import nn

class Part(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x, mask=None):
        return self.layer(x)
"""
MAIN = """
import torch
from torch import nn
from parts import Part

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part({built_with})

    def forward(self, x):
        y = self.part({called_with})
        return x + torch.zeros(3)
"""


@pytest.mark.parametrize(
    ("built_with", "called_with", "is_possible"),
    [
        ("3", "x", True),
        ("width=3", "x, mask=x", True),
        ("*[3]", "*x", True),
        ("", "x", False),
        ("3, depth=2", "x", False),
        ("3", "x, x, x", False),
        ("3", "inputs=x", False),
    ],
)
def test_nothing_stands_behind_what_raises(
    tmp_path: Path, built_with: str, called_with: str, is_possible: bool
) -> None:
    main = MAIN.format(built_with=built_with, called_with=called_with)
    write(tmp_path, {"parts.py": PARTS, "main.py": main})
    assert lines(tmp_path) == ([("TDL002", 13)] if is_possible else [])
