"""When the fixes of what is made on the CPU and moved at once are safe."""

from __future__ import annotations

import pytest

from torchdev_lint.config.settings import Settings
from torchdev_lint.linter import lint
from torchdev_lint.source.source import Source

SETTINGS = Settings(rules=("TDL902",))


@pytest.mark.parametrize(
    ("device", "is_safe"),
    [("torch.device('cpu', 0)", True), ("device", False), ("x.device", True)],
)
def test_what_is_certainly_a_device(device: str, is_safe: bool) -> None:
    text = f"""\
import torch

def make(device):
    x = torch.zeros(2)
    return x, torch.ones(3).to({device})
"""
    source = Source.from_text(text, "program.py")
    (finding,) = lint(source, source.parse(), SETTINGS)
    assert finding.fix is not None
    assert (finding.fix.applicability == "safe") == is_safe
