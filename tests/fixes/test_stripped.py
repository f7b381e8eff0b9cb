"""Parameters of a module tell its device only where it certainly still has some."""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed
from tests.fixes.running import does_the_same, ran

PROGRAM = """\
import torch
from torch import nn

model = {built}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
del device
{then}
print(model(torch.ones(2, 3)).shape)
"""
LAYER = "nn.LayerNorm(3)"
SEVERAL = "nn.Sequential(nn.Linear(3, 3), nn.ReLU())"
STRIP = """\
def strip(module):
    module.weight = module.bias = None
model.apply(strip)"""
ANOTHER_CLASS = """\
class Other(nn.Module):
    def forward(self, x):
        return x
model.__class__ = Other
model.__init__()"""
TAKEN = {
    "deleted": (LAYER, "del model.weight, model.bias\nmodel.weight = model.bias = None"),
    "none": (LAYER, "model.weight = None\nmodel.bias = None"),
    "none in a tuple": (LAYER, "model.weight, model.bias = None, None"),
    "by its name": (LAYER, "for name in ('weight', 'bias'):\n    setattr(model, name, None)"),
    "behind the back": (LAYER, "model._parameters['weight'] = None\nmodel.bias = None"),
    "behind the back, by a text": (
        LAYER,
        "vars(model)['_parameters'].update(weight=None, bias=None)",
    ),
    "registered as none": (
        LAYER,
        "for name in ('weight', 'bias'):\n    model.register_parameter(name, None)",
    ),
    "in a function": ("nn.Sequential(nn.LayerNorm(3))", STRIP),
    "built again": (LAYER, "model.__init__(3, elementwise_affine=False)"),
    "another class": (LAYER, ANOTHER_CLASS),
    "an item exchanged": (SEVERAL, "model[0] = nn.Identity()"),
    "an item deleted": (SEVERAL, "del model[0]"),
    "an item taken": (SEVERAL, "model.pop(0)"),
    "a part exchanged by its name": (SEVERAL, "model.add_module('0', nn.Identity())"),
    "all parts gone": (SEVERAL, "model._modules.clear()"),
}
LEFT = {
    "nothing": (LAYER, ""),
    "the bias": ("nn.Linear(3, 3)", "model.bias = None"),
    "a parameter of another layer": (
        "nn.Linear(3, 3)",
        "other = nn.Linear(3, 3)\nmodel.weight = other.weight",
    ),
    "a new parameter": ("nn.Linear(3, 3)", "model.weight = nn.Parameter(torch.ones(3, 3))"),
    "an item of a list": (SEVERAL, "found = [0]\nfound[0] = max(1, 2)\nfound.pop()"),
    "the weight of an object of its own": (
        LAYER,
        "class Loss:\n    def __init__(self, weight=None):\n        self.weight = weight",
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_may_have_lost_its_parameters_is_not_asked_for_them(name: str) -> None:
    text = PROGRAM.format(built=TAKEN[name][0], then=TAKEN[name][1])
    assert does_the_same(text)


@pytest.mark.parametrize("name", LEFT)
def test_what_has_parameters_left_is_asked_for_them(name: str) -> None:
    text = PROGRAM.format(built=LEFT[name][0], then=LEFT[name][1])
    after = fixed(text).source.text
    assert "device=next(model.parameters()).device" in after
    assert ran(after) == ran(text)
