"""A layer makes state in any case, and applies it in any case."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from .made_up import release, words

MODULE = """\
import torch
from torch import nn
class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
    def forward(self, x):
        return x + self.weight
class Net(nn.Module):
    def __init__(self, a, device=None):
        super().__init__()
{init}
    def forward(self, x):
{forward}
"""
LINEAR = "self.inner = nn.Linear(2, 2)"
APPLIED = "return self.inner(x)"
EITHER = "if a:\n    self.inner = nn.Linear(2, 2)\nelse:\n    self.inner = {other}"


def kinds(folder: Path, init: str, forward: str) -> str:
    """What a class with these methods is."""
    parts = {"init": indent(init, " " * 8), "forward": indent(forward, " " * 8)}
    release(folder, "lib", init=MODULE.format(**parts))
    return words(folder)["Net"]


@pytest.mark.parametrize(
    ("init", "forward"),
    [
        (LINEAR, APPLIED),
        (LINEAR, "if x is None:\n    x = 1\nreturn x + self.inner(x)"),
        (LINEAR, "if x is None:\n    raise ValueError\nreturn self.inner(x)"),
        (LINEAR, "return torch.relu(self.inner(x))"),
        ("self.inner = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))", APPLIED),
        ("self.inner = nn.Parameter(torch.ones(2))", "return x * self.inner"),
        ("self.inner = Other()", "with torch.no_grad():\n    return self.inner(x)"),
        ("self.inner = nn.Linear(2, 2, device=device)", APPLIED),
        (EITHER.format(other="nn.Conv1d(2, 2, 1)"), APPLIED),
    ],
)
def test_layers(tmp_path: Path, init: str, forward: str) -> None:
    assert kinds(tmp_path, init, forward) == "layer module"


@pytest.mark.parametrize(
    ("init", "forward"),
    [
        ("self.inner = nn.ReLU()", APPLIED),
        ("self.inner = nn.BatchNorm1d(2, affine=False)", APPLIED),
        ("self.inner = nn.Linear(2, 2, device='cuda')", APPLIED),
        ("self.inner = nn.Parameter(torch.ones(2, device='cuda'))", "return x * self.inner"),
        (f"{LINEAR}\nself.to(device)", APPLIED),
        (LINEAR, "return x"),
        (LINEAR, "return self.inner(x.to(self.inner.weight.device))"),
        (LINEAR, "if x is None:\n    return x\nreturn self.inner(x)"),
        (LINEAR, "return x if x is None else self.inner(x)"),
        (LINEAR, "return [self.inner(part) for part in x]"),
        (EITHER.format(other="nn.ReLU()"), APPLIED),
        (f"{LINEAR}\nif a:\n    self.inner = a", APPLIED),
    ],
)
def test_others(tmp_path: Path, init: str, forward: str) -> None:
    assert kinds(tmp_path, init, forward) == "module"


def test_heirs(tmp_path: Path) -> None:
    """What inherits `forward` and state is one; what replaces either of them may be none."""
    text = """\
        from torch import nn
        class One(nn.Linear): pass
        class Two(One):
            def __init__(self): super().__init__(2, 2)
        class Own(One):
            def forward(self, x): return x
    """
    release(tmp_path, "lib", init=text)
    assert words(tmp_path) == {"One": "layer module", "Two": "layer module", "Own": "module"}
