"""Where mixed precision is for CUDA whatever the device is, and what its fix makes of the call."""

from __future__ import annotations

import inspect

import pytest
import torch

from torchdev_lint.applying.apply import fix_source
from torchdev_lint.catalog.training import CUDA_AMP
from torchdev_lint.config.settings import Settings
from torchdev_lint.source.source import Source

SETTINGS = Settings(rules=("TDL906",))

HEAD = """\
import torch
from torch import nn
from torch.cuda.amp import autocast

device = {device}
model = nn.Linear(4, 2).to(device)
"""
CHOSEN = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
NAMED = '"cuda" if torch.cuda.is_available() else "cpu"'


def fixed(call: str, device: str = CHOSEN) -> tuple[str, int]:
    """Return what fixes make of a call, and how many findings there are then."""
    head = HEAD.format(device=device)
    source = Source.from_text(f"{head}context = {call}\n", "program.py")
    result = fix_source(source, SETTINGS, unsafe=True)
    text = result.source.text.removeprefix(f"{head}context = ").removesuffix("\n")
    return text, len(result.findings)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("torch.cuda.amp.autocast()", "torch.amp.autocast(device.type)"),
        ("autocast()", "torch.amp.autocast(device.type)"),
        ("torch.cuda.amp.GradScaler()", "torch.amp.GradScaler(device.type)"),
        ("autocast(enabled=True)", "torch.amp.autocast(device.type, enabled=True)"),
        ("autocast(True)", "torch.amp.autocast(device.type, enabled=True)"),
        ("autocast(True, torch.half)",
         "torch.amp.autocast(device.type, enabled=True, dtype=torch.half)"),
        ("autocast(bool(1), cache_enabled=False)",
         "torch.amp.autocast(device.type, enabled=bool(1), cache_enabled=False)"),
        ("torch.cuda.amp.GradScaler(2.0, 2.0, growth_interval=3)",
         "torch.amp.GradScaler(device.type, init_scale=2.0, growth_factor=2.0, growth_interval=3)"),
    ],
)  # fmt: skip
def test_calls_are_told_the_type_of_the_device(call: str, told: str) -> None:
    assert fixed(call) == (told, 0)
    eval(told, {"torch": torch, "device": torch.device("cpu")})


def test_a_device_that_is_named_may_be_a_text() -> None:
    assert fixed("autocast()", NAMED) == ("torch.amp.autocast(torch.device(device).type)", 0)


@pytest.mark.parametrize("call", ["autocast((True))", "autocast(*[True])"])
def test_what_is_not_easily_told_is_left_to_the_reader(call: str) -> None:
    assert fixed(call) == (call, 1)


@pytest.mark.parametrize(
    ("call", "device"),
    [
        ("autocast()", "'cuda'"),
        ("autocast()", "torch.device('cuda', 0)"),
        ("autocast()", "'cpu'"),
        ("autocast(device.type == 'cuda')", CHOSEN),
        ("autocast(enabled=torch.cuda.is_available())", CHOSEN),
        ("autocast() if device.type == 'cuda' else None", CHOSEN),
        ("torch.amp.autocast('cuda')", CHOSEN),
        ("model.autocast()", CHOSEN),
    ],
)
def test_what_is_no_finding(call: str, device: str) -> None:
    assert fixed(call, device) == (call, 0)


@pytest.mark.parametrize("name", CUDA_AMP)
def test_arguments_are_called_as_pytorch_calls_them(name: str) -> None:
    signature = inspect.signature(getattr(torch.cuda.amp, name.rpartition(".")[2]).__init__)
    assert tuple(signature.parameters)[1:] == CUDA_AMP[name]
