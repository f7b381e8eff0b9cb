"""A tensor becomes a buffer only where nothing in the file tells buffers from plain attributes."""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed
from tests.fixes.running import does_the_same, ran

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.offset = torch.full((3,), 0.1)
    def forward(self, x):
        return self.layer(x) + self.offset
    def name(self):
        return "a network".replace("a ", "the ")

net = Net()
{then}
print(net(torch.ones(3, dtype=net.layer.weight.dtype)).shape, Net().offset)
"""
TELL_THEM_APART = {
    "double": "net = net.double()\nprint(net.offset)",
    "half and back": "net.half().float()\nprint(net.offset.tolist())",
    "a type": "net.type(torch.float64)\nprint(net.offset)",
    "to a type": "net.to(torch.float64)\nprint(net.offset)",
    "to a type by keyword": "net.to(dtype=torch.float64)\nprint(net.offset)",
    "to what another tensor has": "net.to(torch.ones(1).to(torch.float64))\nprint(net.offset)",
    "a method by its name": "getattr(net, 'double')()\nprint(net.offset)",
    "a method as a value": "convert = net.double\nconvert()\nprint(net.offset)",
    "a class's method": "nn.Module.double(net)\nprint(net.offset)",
    "what it is part of": "nn.Sequential(net).double()\nprint(net.offset)",
    "counted": "print(len(list(net.buffers())))",
    "averaged": "for buffer in Net().buffers():\n    buffer.zero_()\n    print(buffer)",
    "named": "print([name for name, _ in net.named_buffers()])",
    "applied to": "net._apply(lambda tensor: tensor * 0)\nprint(net.offset)",
    "told on registration": (
        "from torch.nn.modules import module\n"
        "hook = module.register_module_buffer_registration_hook(lambda *given: print(given[1]))\n"
        "Net()\nhook.remove()"
    ),
    "looked up in its dict": "print(vars(net)['offset'])",
}
MOVE_ONLY = {
    "nothing": "",
    "a device": "device = torch.device('cpu')\nnet.to(device)",
    "a device by keyword": "net.to(device='cpu', non_blocking=True)",
    "a tensor that is converted": "print(torch.ones(3).double())",
    "a type that is named": "print(torch.ones(3, dtype=torch.float))",
    "the type of a device": "print(torch.device('cpu').type)",
}


@pytest.mark.parametrize("name", TELL_THEM_APART)
def test_a_buffer_that_would_show_is_no_safe_fix(name: str) -> None:
    text = NET.format(then=TELL_THEM_APART[name])
    assert does_the_same(text)


@pytest.mark.parametrize("name", MOVE_ONLY)
def test_what_is_only_moved_may_have_a_buffer(name: str) -> None:
    text = NET.format(then=MOVE_ONLY[name])
    result = fixed(text)
    assert 'register_buffer("offset", ' in result.source.text
    assert ran(result.source.text) == ran(text)


def test_a_private_attribute_is_no_buffer_of_that_name() -> None:
    text = NET.replace("self.offset", "self.__offset").replace("Net().offset", "0").format(then="")
    result = fixed(text, unsafe=True)
    assert result.before
    assert ran(result.source.text) == ran(text)
