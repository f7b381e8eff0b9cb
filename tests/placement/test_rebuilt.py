"""Layers that `forward` builds in every call: what is reported, and what excuses them."""

from __future__ import annotations

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import Source

PROGRAM = """\
import contextlib
import functools
import torch
from torch import nn
from somewhere import keep, wrapped

KNOWN, BY_NAME = [], {{}}


def apply_twice(layer, x):
    return layer(layer(x))


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 1)
        {init}

    def forward(self, x):
        return self.conv(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList()
        self.plain = []
        self.weight = nn.Parameter(torch.rand(4, 4))

    {decorator}
    def forward(self, x):
        {context}
            layer = {layer}.to(x.device)
            y = layer(x.relu())
            {statement}
        return y
"""


def is_reported(
    statement: str = "pass",
    layer: str = "nn.Linear(4, 4)",
    context: str = "if True:",
    decorator: str = "",
    init: str = "pass",
) -> bool:
    """Whether TDL003 has a finding in the program."""
    text = PROGRAM.format(
        statement=statement, layer=layer, context=context, decorator=decorator, init=init
    )
    source = Source.from_bytes(text.encode(), "program.py")
    return any(finding.code == "TDL003" for finding in lint(source, source.parse(), EVERY_RULE))


@pytest.mark.parametrize(
    "statement",
    [
        "pass",
        "layer.eval()",
        "layer.half()",
        "y = apply_twice(layer, y)",
        "layers = [layer]",
        "y = nn.Sequential(layer, nn.ReLU())(y)",
        "self.last = y",
        "print(y)",
    ],
)
def test_a_layer_that_is_only_used_is_reported(statement: str) -> None:
    assert is_reported(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "layer.weight = self.weight",
        "layer.weight.data = self.weight",
        "layer.weight.data.copy_(self.weight)",
        "layer.weight.requires_grad = False",
        "layer.requires_grad_(False)",
        "layer.load_state_dict(self.state)",
        "nn.init.constant_(layer.weight, 1.0)",
        "self.layer = layer",
        "self.plain.append(layer)",
        "self.layers.append(layer)",
        "self.add_module('layer', layer)",
        "setattr(self, 'layer', layer)",
        "KNOWN.append(layer)",
        "BY_NAME['layer'] = layer",
        "global LAST; LAST = layer",
        "keep(layer)",
        "keep([layer])",
        "return y, layer",
        "return {'layer': layer}",
        "yield layer",
        "torch.optim.SGD(layer.parameters(), 0.1)",
    ],
)
def test_one_that_the_code_takes_care_of_is_not(statement: str) -> None:
    assert not is_reported(statement)


@pytest.mark.parametrize("decorator", ["@torch.no_grad()", "@functools.cache", "@wrapped"])
def test_decorators(decorator: str) -> None:
    """They may turn gradients off, or keep what a call gives."""
    assert not is_reported(decorator=decorator)
    assert is_reported(decorator="@torch.autocast('cuda')")


@pytest.mark.parametrize(
    ("context", "reported"),
    [
        ("with torch.no_grad():", False),
        ("with torch.inference_mode():", False),
        ("with torch.set_grad_enabled(self.training):", False),
        ("with wrapped():", False),
        ("with torch.autocast('cuda'):", True),
        ("with contextlib.nullcontext():", True),
    ],
)
def test_contexts(context: str, reported: bool) -> None:
    assert is_reported(context=context) is reported


@pytest.mark.parametrize(
    ("init", "reported"),
    [
        ("pass", True),
        ("nn.init.xavier_uniform_(self.conv.weight)", True),
        ("nn.init.zeros_(self.conv.bias)", True),
        ("self.conv.weight.data.normal_()", True),
        ("nn.init.dirac_(self.conv.weight)", False),
        ("self.conv.weight.data.fill_(1.0)", False),
        ("self.conv.weight.requires_grad = False", False),
        ("self.requires_grad_(False)", False),
        ("self.load_state_dict(torch.load('filter.pt'))", False),
    ],
)
def test_modules_of_the_file(init: str, reported: bool) -> None:
    """A fixed filter is one wherever it is built; random first values say nothing."""
    assert is_reported(layer="Filter()", init=init) is reported


@pytest.mark.parametrize(
    ("layer", "reported"),
    [
        ("nn.LayerNorm(4)", True),
        ("nn.BatchNorm1d(4)", True),
        ("nn.BatchNorm1d(4, affine=False)", False),
        ("nn.BatchNorm1d(4, 1e-5, 0.1, False)", False),
        ("nn.LayerNorm(4, elementwise_affine=self.training)", False),
        ("nn.InstanceNorm1d(4)", False),
        ("nn.InstanceNorm1d(4, affine=True)", True),
        ("nn.Embedding.from_pretrained(self.weight)", False),
        ("nn.Dropout()", False),
        ("nn.CrossEntropyLoss()", False),
    ],
)
def test_only_what_can_be_trained(layer: str, reported: bool) -> None:
    assert is_reported(layer=layer) is reported
