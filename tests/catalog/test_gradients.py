"""What the catalog says of gradients is true of the installed PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import torch
from torch import nn

from tests.catalog.samples import ignore_warnings, member
from torchdev_lint.catalog import gradients

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "autocast": ("cpu",),
    "device": ("cpu",),
    "record_function": ("a name",),
    "sdpa_kernel": (torch.nn.attention.SDPBackend.MATH,),
}
NEEDS_A_GPU = {"torch.cuda.amp.autocast", "torch.cuda.device", "torch.cuda.nvtx.range"}


@ignore_warnings
@pytest.mark.parametrize("name", sorted(gradients.KEEPING_CONTEXTS))
def test_contexts_leave_gradients_on(name: str) -> None:
    """Inside each of them autograd records."""
    importlib.import_module(name.rpartition(".")[0])
    context = member(name)
    if name in NEEDS_A_GPU:
        assert callable(context)
        return
    arguments = () if ".cpu." in name else ARGUMENTS.get(name.rpartition(".")[2], ())
    with context(*arguments):
        assert nn.Linear(1, 1)(torch.ones(1)).requires_grad


@pytest.mark.parametrize("name", ["no_grad", "inference_mode", "set_grad_enabled"])
def test_what_turns_gradients_off_is_not_among_them(name: str) -> None:
    """Nor is a decorator of that name."""
    listed = {known.rpartition(".")[2] for known in gradients.KEEPING_CONTEXTS}
    assert name not in listed | gradients.KEEPING_DECORATORS


@pytest.mark.parametrize("name", sorted(gradients.RANDOM_FILLS))
def test_random_fills(name: str) -> None:
    """They give other numbers each time."""
    arguments = (0.5,) if name == "geometric_" else ()
    first, second = (getattr(torch.rand(64).double(), name)(*arguments) for _ in range(2))
    assert not torch.equal(first, second)


@pytest.mark.parametrize("name", sorted(gradients.CONSTANT_FILLS))
def test_constant_fills(name: str) -> None:
    """They give the same numbers each time."""
    fill = getattr(nn.init, name)
    arguments = (0.5,) if name == "constant_" else ()
    shape = (2, 2, 3) if name == "dirac_" else (2, 2)
    assert torch.equal(fill(torch.rand(shape), *arguments), fill(torch.rand(shape), *arguments))


@pytest.mark.parametrize(
    "name",
    sorted(gradients.LEAVES_PARAMETERS | gradients.SETS_PARAMETERS | gradients.LISTS_PARAMETERS),
)
def test_members_of_modules(name: str) -> None:
    """A module has them, recurrent layers all of them; `npu` comes with `torch_npu`."""
    assert hasattr(nn.GRU(1, 1), name) or name == "npu"


@pytest.mark.parametrize("name", sorted(gradients.SETTINGS))
def test_settings_of_layers_are_no_state(name: str) -> None:
    """Layers and losses have them, as numbers, texts and flags; to set one leaves their state."""
    built = [
        nn.Linear(2, 2),
        nn.Conv2d(2, 2, 1),
        nn.GRU(2, 2),
        nn.Embedding(2, 2, padding_idx=0),
        nn.MultiheadAttention(2, 1),
        nn.BatchNorm1d(2),
        nn.LayerNorm(2),
        nn.Dropout(),
        nn.ReLU(),
        nn.CrossEntropyLoss(),
        nn.SmoothL1Loss(),
        nn.MarginRankingLoss(),
    ]
    owners = [layer for layer in built if hasattr(layer, name)]
    assert owners
    for layer in owners:
        assert isinstance(getattr(layer, name), (int, float, str, tuple))
        before = layer.state_dict()
        setattr(layer, name, getattr(layer, name))
        assert layer.state_dict().keys() == before.keys()
