"""What is said of `.cuda()` beside a device, and what its fixes make of it."""

from __future__ import annotations

import pytest

from torchdev_lint.applying.apply import fix_source
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.linter import lint
from torchdev_lint.source.source import Source

CODE = "TDL901"
SETTINGS = Settings(rules=(CODE,))
CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def found(text: str, *codes: str) -> list[Finding]:
    source = Source.from_text(text, "program.py")
    return lint(source, source.parse(), Settings(rules=codes or (CODE,)))


@pytest.mark.parametrize(
    ("device", "moved", "is_safe"),
    [
        (CHOICE, "torch.ones(3)", True),
        (CHOICE, "torch.nn.Linear(4, 2)", True),
        (CHOICE, "thing", False),
        (CHOICE.replace('"cuda"', '"cuda:1"'), "torch.ones(3)", False),
        (CHOICE.replace("torch.cuda.is_available()", "flag"), "torch.ones(3)", False),
        ("chosen", "torch.ones(3)", False),
    ],
)
def test_a_fix_is_safe_where_nothing_else_happens_with_cuda(
    device: str, moved: str, is_safe: bool
) -> None:
    text = f"""\
import torch
from settings import chosen, flag

device = {device}
noise = torch.randn(2).to(device)

def make(thing):
    return {moved}.cuda()
"""
    (finding,) = found(text)
    assert finding.fix is not None
    assert (finding.fix.applicability == "safe") == is_safe
    source = Source.from_text(text, "program.py")
    fixed = fix_source(source, SETTINGS, unsafe=True).source.text
    assert f"return {moved}.to(device)\n" in fixed


def test_the_message_names_the_device_at_hand() -> None:
    text = """\
import torch

class Agent:
    def __init__(self, args):
        self.device = args.device
        self.rewards = torch.randn(3).to(self.device)

    def act(self, state):
        return state.cuda(non_blocking=True)
"""
    (finding,) = found(text)
    assert "`self.device`" in finding.message
    assert "line 6" in finding.message


def test_what_meets_the_input_is_said_by_another_rule_if_that_is_on() -> None:
    text = """\
import torch
from torch import nn

class Smooth(nn.Module):
    def forward(self, x, args):
        kernel = torch.ones(1, 1, 3).cuda()
        shift = torch.randn(1).to(args.device)
        return torch.conv1d(x.unsqueeze(1), kernel, padding=1), shift
"""
    assert [f.code for f in found(text, CODE)] == [CODE]
    assert [f.code for f in found(text, CODE, "TDL903")] == ["TDL903"]


def test_a_device_that_may_be_the_cpu_is_for_another_rule() -> None:
    text = """\
import torch

def noise(x, device):
    return x.to(device) + torch.randn(4).cuda()
"""
    assert found(text, CODE) == []
    assert [f.code for f in found(text, CODE, "TDL102", "TDL903")] == ["TDL102"]


def test_what_is_made_on_a_device_moves_nothing() -> None:
    text = """\
import torch
from settings import args

x = torch.randn(3, 4, device=args.device)
y = torch.randn(4).cuda()
"""
    assert found(text, CODE) == []
