"""Where a message says that something fails that is handed to code of another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import findings, write

PARTS = """
from torch import nn


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def scored(model, x):
    return model(x)
"""
MAIN = """
import torch
from torch import nn
from parts import Part, scored


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part, self.head = Part(), nn.Linear(4, 4)

    def forward(self, x):
        made = torch.ones(2, 4)
        return x + {call}
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("self.part(made)", "`self.part` (on the model's device) on line 14"),
        ("scored(self.head, made)", "`model` (on the model's device) on line 15 of parts.py"),
    ],
)
def test_told_at_the_call_of_a_model_alone(tmp_path: Path, call: str, told: str) -> None:
    """What a model out of sight calls its parts is nothing that stands on the line of its call."""
    write(tmp_path, {"main.py": MAIN.format(call=call), "parts.py": PARTS})
    [finding] = findings(tmp_path)
    assert finding.message.endswith(f"; it is passed to {told}")


def test_a_draw_of_another_file_is_told_in_the_function_that_has_it_drawn(tmp_path: Path) -> None:
    noise = """
import torch


class Noise:
    def __init__(self):
        self.generator = torch.Generator()

    def __call__(self, x):
        return x + torch.randn(x.shape, device=x.device, generator=self.generator)
"""
    main = """
import torch
from noise import Noise


def noisy():
    noise = Noise()
    return noise(torch.ones(3, device="cuda"))


noisy()
"""
    write(tmp_path, {"noise.py": noise, "main.py": main})
    [finding] = findings(tmp_path)
    assert (finding.code, finding.span.line, finding.scope) == ("TDL011", 8, "noisy")
    assert finding.message.endswith("of the CPU on line 10 of noise.py")
