"""Layers that `forward` builds in a loop become a list of layers."""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed_text

MODULE = """\
import torch
from torch import nn

sizes = [2, 3]


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.depth = depth{built}

    def forward(self, x, n):
        parts = []
        for {loop}:
            {body}
        return torch.cat(parts)
"""


def module(loop: str, body: str, built: str = "") -> str:
    built = built and f"\n        self.linears = nn.ModuleList([{built}])"
    return MODULE.format(loop=loop, body=body, built=built)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            module("size in sizes", "parts.append(nn.Linear(8, size)(x))"),
            module(
                "size, linear in zip(sizes, self.linears)",
                "parts.append(linear(x))",
                "nn.Linear(8, size) for size in sizes",
            ),
        ),
        (
            module("_ in range(self.depth)", "parts.append(nn.Linear(8, 8)(x))"),
            module(
                "_, linear in enumerate(self.linears)",
                "parts.append(linear(x))",
                "nn.Linear(8, 8) for _ in range(self.depth)",
            ),
        ),
        (
            module("linear in sizes", "parts.append(nn.Linear(8, linear)(x))"),
            module(
                "linear, linear2 in zip(sizes, self.linears)",
                "parts.append(linear2(x))",
                "nn.Linear(8, linear) for linear in sizes",
            ),
        ),
    ],
)
def test_a_list_of_layers(before: str, after: str) -> None:
    assert fixed_text(before, unsafe=True) == after


@pytest.mark.parametrize(
    ("loop", "layer"),
    [
        ("_ in range(n)", "nn.Linear(8, 8)"),  # not known before
        ("_ in iter(sizes)", "nn.Linear(8, 8)"),  # could be gone through only once
        ("i, size in enumerate(sizes)", "nn.Linear(8, size)"),
        ("size in sizes", "nn.Linear(n, size)"),
    ],
)
def test_else_the_layer_stays(loop: str, layer: str) -> None:
    """A `.to(x.device)` would only silence it: no fix does that."""
    text = module(loop, f"parts.append({layer}(x))")
    assert fixed_text(text, unsafe=True) == text


HEAD = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 4{built}

    def forward(self, x):
        return {layer}(x)
"""


def head(layer: str, built: str = "") -> str:
    built = built and f"\n        self.linear = {built}"
    return HEAD.format(layer=layer, built=built)


@pytest.mark.parametrize(
    ("layer", "built"),
    [
        ("nn.Linear(8, self.width).to(x.device)", "nn.Linear(8, self.width)"),
        ("nn.Linear(8, 4).to(device=x.device)", "nn.Linear(8, 4)"),
        ("nn.Linear(8, 4).cuda().to(x.device)", "nn.Linear(8, 4)"),
        ("nn.Linear(8, 4, device=x.device)", "nn.Linear(8, 4)"),
        ("nn.Linear(8, 4, device=x.device, bias=False)", "nn.Linear(8, 4, bias=False)"),
    ],
)
def test_what_placed_the_layer_goes(layer: str, built: str) -> None:
    """In `__init__` it moves with the model."""
    assert fixed_text(head(layer), unsafe=True) == head("self.linear", built)


@pytest.mark.parametrize(
    "layer",
    [
        "nn.Linear(8, 4).to(x.device, torch.float64)",
        "nn.Linear(8, 4).to(torch.float64).to(x.device)",
        "nn.Linear(8, 4, device=x.device, dtype=x.dtype)",
        "nn.Linear(x.shape[-1], 4).to(x.device)",
    ],
)
def test_what_forward_alone_knows_stays(layer: str) -> None:
    assert fixed_text(head(layer), unsafe=True) == head(layer)


@pytest.mark.parametrize("layer", ["nn.Linear(8, 4)", "nn.Linear(8, 4).to(x.device)"])
def test_no_fix_is_safe(layer: str) -> None:
    assert fixed_text(head(layer)) == head(layer)
