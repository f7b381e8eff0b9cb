"""Which fixes are safe: what annotations, calls and uses prove, and what they don't."""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed

HEAD = """\
from typing import Optional, Union

import torch
from factory import build
from torch import Tensor, nn

"""


def keeping(signature: str, move: str = "x.to(device)", asks: str = "pass") -> str:
    return f"def keep({signature}):\n    {asks}\n    {move}\n    return x + 1\n"


KEPT = {
    "a device": keeping("x: Tensor, device: torch.device"),
    "a device in quotes": keeping('x: Tensor, device: "torch.device"'),
    "a device or none": keeping("x: Tensor, device: Optional[torch.device] = None"),
    "the name of a device": keeping("x: Tensor, device: Union[str, torch.device]"),
    "its name or nothing": keeping("x: Tensor, device: str | None = None"),
    "whether it was given": keeping(
        "x: Tensor, device: torch.device | None", asks="print(device is None)"
    ),
    "what only a device can be": keeping("x: Tensor, device", "x.to(device=device)"),
    "what all calls give": keeping("x: Tensor, device")
    + "keep(torch.ones(1), 'cpu')\nkeep(torch.ones(1), device=torch.device('cpu'))\n",
    "what it hands on to itself": """\
def keep(x: Tensor, device):
    if x.dim() > 1:
        return [keep(part, device) for part in x]
    x.to(device)
    return x + 1
keep(torch.ones(1), "cpu")
""",
    "a function that PyTorch decorates": "@torch.no_grad()\n"
    + keeping("x: Tensor, device")
    + "keep(torch.ones(1), 'cpu')\n",
    "what objects are built with": """\
class Box:
    def __init__(self, device=None):
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    def keep(self, x: Tensor):
        x.to(self.device)
        return x + 1
def show(box: Box) -> Box:
    return box
print(show(Box()).keep(torch.ones(1)))
""",
    "what a method is called with": """\
class Box:
    def keep(self, x: Tensor, device):
        x.to(device)
        return x + 1
print(Box().keep(torch.ones(1), "cpu"))
""",
}
"""Where a discarded move certainly only moves."""

NOT_KEPT = {
    "nothing": keeping("x: Tensor, device"),
    "a type of numbers": keeping("x: Tensor, device: torch.dtype"),
    "either": keeping("x: Tensor, device: Union[torch.device, torch.dtype]"),
    "another device": "class device: pass\n" + keeping("x: Tensor, device: device"),
    "a default that breaks the promise": keeping("x: Tensor, device: torch.device = torch.float16"),
    "a promise that the code doubts": keeping(
        "x: Tensor, device: torch.device", asks="print(isinstance(device, torch.dtype))"
    ),
    "what some calls give": keeping("x: Tensor, device")
    + "keep(torch.ones(1), 'cpu')\nkeep(torch.ones(1), torch.float16)\n",
    "what only it gives itself": keeping("x: Tensor, device", asks="keep(x, device)"),
    "a function that is handed on": keeping("x: Tensor, device")
    + "keep(torch.ones(1), 'cpu')\nprint(list(map(keep, [], [])))\n",
    "a function that is decorated": "@print\n"
    + keeping("x: Tensor, device")
    + "keep(torch.ones(1), 'cpu')\n",
    "objects that a class method builds": """\
class Box:
    def __init__(self, device):
        self.device = device
    @classmethod
    def of(cls, device):
        return cls(device)
    def keep(self, x: Tensor):
        x.to(self.device)
        return x + 1
print(Box("cpu").keep(torch.ones(1)))
""",
    "a method that a framework calls": """\
class Step(nn.Module):
    def forward(self, x: Tensor, device):
        x.to(device)
        return x + 1
print(Step().forward(torch.ones(1), "cpu"))
""",
    "a method that is named in a text": """\
class Box:
    def keep(self, x: Tensor, device):
        x.to(device)
        return x + 1
print(Box().keep(torch.ones(1), "cpu"), getattr(Box(), "keep"))
""",
}
"""Where it may be a cast as well."""


@pytest.mark.parametrize("name", KEPT)
def test_a_move_that_only_moves_is_kept(name: str) -> None:
    result = fixed(HEAD + KEPT[name])
    assert result.before and not result.findings


@pytest.mark.parametrize("name", NOT_KEPT)
def test_a_move_that_may_cast_is_not(name: str) -> None:
    text = HEAD + NOT_KEPT[name]
    assert not fixed(text).fixed
    assert fixed(text, unsafe=True).fixed


def forward(body: str, members: str = "", signature: str = "x", before: str = "") -> str:
    """A module that adds a tensor of the host to what its first layer gives."""
    setup = "".join(f"        {line}\n" for line in members.splitlines())
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return (
        f"{HEAD}{before}class Net(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.unknown = build()\n{setup}"
        f"    def forward(self, {signature}):\n{lines}"
    )


FOUND = {
    "an annotation": (forward("return x + torch.ones(3)", signature="x: Tensor"), "x"),
    "a method of tensors alone": (forward("return x.unsqueeze(0) + torch.ones(3)"), "x"),
    "what a tensor is expanded to": (forward("return torch.ones(1).expand_as(x) + x"), "x"),
    "an activation": (
        forward("return self.act(x) + torch.ones(3)", "self.act = nn.ReLU()"),
        "x",
    ),
    "a buffer": (
        forward(
            "return self.offset * torch.ones(3)",
            'self.register_buffer("offset", torch.zeros(3) / 2)',
        ),
        "self.offset",
    ),
    "a layer of the same name in another class": (
        forward(
            "return self.mix(torch.ones(3, 3))",
            "self.mix = nn.Conv1d(3, 3, 1)",
            before="class Other(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.mix, self.weight = build(), build()\n",
        ),
        "self.mix.weight",
    ),
    "an inherited weight": (
        HEAD + "class Net(nn.Embedding):\n    def norm(self):\n"
        "        return self.weight @ torch.ones(3)\n",
        "self.weight",
    ),
    "a tensor rather than a layer": (
        forward("return self.mix(torch.ones(3)) + x.unsqueeze(0)", "self.mix = nn.Linear(3, 3)"),
        "x",
    ),
    "a layer that stays rather than one that may not": (
        forward(
            "return self.mix(torch.ones(3))",
            "self.mix = nn.Linear(3, 3)\nself.read = nn.Embedding(3, 3)",
        ),
        "self.read.weight",
    ),
    "what a recurrent layer takes that has a size": (
        forward(
            "state = torch.zeros(1, x.size(0), 3)\nreturn self.cells(x, state)",
            "self.cells = nn.GRU(3, 3)\nself.read = nn.Linear(3, 3)",
        ),
        "x",
    ),
    "a layer rather than what may be packed": (
        forward(
            "return self.cells(x, torch.zeros(1, 3)), x.size(0)",
            "self.cells = nn.GRU(3, 3)\nself.read = nn.Linear(3, 3)",
        ),
        "self.read.weight",
    ),
    "some parameter": (
        forward("return self.cell(torch.ones(3))", "self.cell = nn.LSTMCell(3, 3)"),
        "next(self.parameters())",
    ),
    "some parameter of parts": (
        forward(
            "return self.parts[str(x)](torch.ones(3))",
            "self.parts = nn.ModuleDict(dict(a=nn.LayerNorm(3)))",
        ),
        "next(self.parameters())",
    ),
}
"""What a tensor is safely put beside, and how that is known."""

NOT_FOUND = {
    "a layer that is exchanged": forward(
        "return self.mix(torch.ones(3))", "self.mix = nn.Linear(3, 3)"
    )
    + "torch.ao.quantization.quantize_dynamic(Net())\n",
    "a layer that is set from outside": forward(
        "return self.mix(torch.ones(3))", "self.mix = nn.Linear(3, 3)"
    )
    + "Net().mix = nn.Identity()\n",
    "a layer that an heir sets": forward(
        "return self.mix(torch.ones(3))", "self.mix = nn.Linear(3, 3)"
    )
    + "class Heir(Net):\n    def swap(self):\n        self.mix = nn.Identity()\n",
    "a method of tensors that the file has as well": forward(
        "return x.unsqueeze(0) + torch.ones(3)",
        before="class Odd:\n    def unsqueeze(self, dim):\n        return 1\n",
    ),
    "a norm without parameters": forward(
        "return self.norm(torch.ones(3))", "self.norm = nn.LayerNorm(3, elementwise_affine=False)"
    ),
}
"""What is not certain enough."""


@pytest.mark.parametrize("name", FOUND)
def test_a_device_is_found(name: str) -> None:
    text, tensor = FOUND[name]
    result = fixed(text)
    assert result.before and not result.findings
    assert f"{tensor}.device" in result.source.text


@pytest.mark.parametrize("name", NOT_FOUND)
def test_a_device_is_not_certain(name: str) -> None:
    assert not fixed(NOT_FOUND[name]).fixed
