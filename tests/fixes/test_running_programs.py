"""Programs that run on a CPU do the same once they are fixed: each shows one way to break that.

`tests/fuzz/programs` makes many more.
"""

from __future__ import annotations

import pytest

from tests.applying.fixing import fixed
from tests.fixes.running import ran

HEAD = """\
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

"""

SCRIPT = (
    HEAD
    + """\
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 1)), batch_size=2)
"""
)

WHERE_A_NAME_MEANS_SOMETHING_ELSE = {
    "deleted": "del device\nx = torch.ones(2, 3)\nprint(model(x).sum().item())\n",
    "bound anew": "device = 7\nx = torch.ones(1, 3)\nprint(model(x).item())\n",
    "a comprehension": "print([model(torch.ones(1, 3)).item() for device in 'ab'])\n",
    "a lambda": "score = lambda device: model(torch.ones(1, 3)).item()\nprint(score('phone'))\n",
    "a parameter": (
        "def score(device):\n    return model(torch.ones(1, 3)).item()\nprint(score('phone'))\n"
    ),
    "a loop": (
        "for device in 'ab':\n    pass\nfor x, y in loader:\n    print(model(x).sum().item())\n"
    ),
    "deleted elsewhere": (
        "def score():\n    global device\n    del device\n"
        "    return model(torch.ones(1, 3)).item()\nprint(score())\n"
    ),
    "bound anew elsewhere": (
        "def rename():\n    global device\n    device = 'phone'\n"
        "rename()\nprint(model(torch.ones(1, 3)).item())\n"
    ),
    "bound anew elsewhere, used later": (
        "def rename():\n    global device\n    device = 'phone'\nrename()\n"
        "def score():\n    return model(torch.ones(1, 3)).item()\nprint(score())\n"
    ),
    "bound in one branch": (
        "if len(loader) > 5:\n    place = device\n    model.to(place)\n"
        "print(model(torch.ones(1, 3)).item())\n"
    ),
    "bound later": (
        "def score():\n    return model(torch.ones(1, 3)).item()\n"
        "print(score())\nlate = device\nmodel.to(late)\n"
    ),
    "behind the back": (
        "globals()['device'] = 'phone'\nprint(model(torch.ones(1, 3)).item())\n"
    ),
}  # fmt: skip

OTHER_SCRIPTS = {
    "a setting of other arguments": """\
loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)
def run(model, args):
    for (x,) in loader:
        print(model(x).sum().item(), args.lr)
def main():
    args = SimpleNamespace(device="cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 1).to(args.device)
    run(model, SimpleNamespace(lr=1))
main()
""",
    "a device that something else is called": """\
loader = DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)
def run(model, device):
    for (x,) in loader:
        print(model(x).sum().item(), device)
def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    run(nn.Linear(3, 1).to(device), "phone")
main()
""",
    "a device that is taken away": """\
devices = ["cuda" if torch.cuda.is_available() else "cpu"]
model = nn.Linear(3, 1).to(devices.pop())
x = torch.ones(2, 3)
print(model(x).sum().item())
""",
    "a move that never happens": """\
args = SimpleNamespace(cuda=False)
model = nn.Linear(3, 1)
if args.cuda:
    model.cuda()
x = torch.ones(2, 3)
print(model(x).sum().item())
""",
}

MODULE = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3))
        self.settings = {"device": "cpu"}
    def forward(self, x):
"""
)

FORWARDS = {
    "keywords in a variable": (
        "        more = {'device': 'cpu'}\n        return x + torch.zeros(3, **more)\n"
    ),
    "keywords of two": (
        "        a, b = {'dtype': torch.float32}, dict(device=None)\n"
        "        return x + torch.zeros(3, **a, **b)\n"
    ),
    "keywords in an attribute": "        return x + torch.zeros(3, **self.settings)\n",
    "another next": (
        "        next = 3\n        return self.layers(torch.zeros(next))\n"
    ),
    "other parameters": (
        "        return self.layers(torch.zeros(3))\n    def parameters(self):\n"
        "        return iter(())\n"
    ),
    "a number": "        return torch.ones(3) + x.sum()\n",
    "what looks like a tensor": "        return torch.zeros(3) + x.data\n",
    "a layer beside its attribute": (
        "        norm = nn.LayerNorm(3)\n        return norm(x) * getattr(self, 'norm', 2)\n"
    ),
    "a layer beside a property": (
        "        norm = nn.LayerNorm(3)\n        return norm(x)\n"
        "    @property\n    def norm(self):\n        return 1\n"
    ),
    "a layer among all layers": (
        "        norm = nn.LayerNorm(2)\n        y = norm(x[:2])\n"
        "        for layer in self.children():\n            x = layer(x)\n        return x, y\n"
    ),
}  # fmt: skip

ARGUMENTS = {
    "what looks like a tensor": "SimpleNamespace(data=torch.ones(3))",
    "a number": "torch.ones(3).numpy()",
}

ADDING = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        return x + torch.ones(3)
"""

MODULES = {
    "next of the module": """\
def next(first, second):
    return 1
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3))
    def forward(self, n):
        return self.layers(torch.zeros(n))
print(Net()(3).shape)
""",
    "a layer and the property of a base": """\
class Base(nn.Module):
    @property
    def norm(self):
        return 1
class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        norm = nn.LayerNorm(3)
        return norm(x)
print(Net()(torch.ones(3)))
""",
    "a layer behind an early return": """\
class Net(nn.Module):
    def __init__(self, small):
        super().__init__()
        if small:
            return
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        norm = nn.LayerNorm(3)
        return norm(x)
print(Net(True)(torch.ones(3)))
""",
    "a weight that is taken away": ADDING
    + """\
net = Net()
net.layer.register_parameter("weight", None)
print(net(torch.ones(3)))
""",
    "a method of another object": f'{ADDING}print(Net.forward("a text", torch.ones(3)))\n',
    "keywords of the module": """\
SETTINGS = {"device": "cpu"}
class Net(nn.Module):
    def forward(self, x):
        return nn.functional.relu(x) + torch.zeros(3, **SETTINGS)
print(Net()(torch.ones(3)))
""",
}

DISCARDS = {
    "what a function gives": (
        "def make():\n    return torch.ones(1)\nmake().to(device)\nprint(make())"
    ),
    "what a method gives": (
        "class Box:\n    def get(self):\n        return torch.ones(1)\n"
        "box = Box()\nbox.get().to(device)\nprint(box.get())"
    ),
    "another shape": "x = torch.ones(3)\nx.view(3, 1).to(device)\nprint(x.shape)",
    "a sum": "x = torch.ones(3)\nx.sum().to(device)\nprint(x.shape)",
    "a set": "ts = {torch.ones(1)}\nfor t in ts:\n    t.to(device)\nprint(type(ts))",
    "a tuple": (
        "ts = torch.ones(1), torch.ones(2)\nfor t in ts:\n    t.to(device)\n"
        "print(ts, hash(ts) != 0)"
    ),
    "the variable of a loop": (
        "ts = [torch.ones(1)]\nfor t in ts:\n    t.to(device)\nprint(type(ts), t)"
    ),
    "a global variable": (
        "x = torch.ones(1)\ndef keep():\n    def other():\n        global x\n        x = x + 1\n"
        "    x.to(device)\n    other()\n    return x\nprint(keep())"
    ),
    "frozen": (
        "import dataclasses\nfrozen = True\n@dataclasses.dataclass(frozen=frozen)\nclass Box:\n"
        "    t: torch.Tensor\nbox = Box(torch.ones(1))\nbox.t.to(device)\nprint(box)"
    ),
    "slots": (
        "class Box:\n    __slots__ = ('kept',)\n    def __init__(self):\n"
        "        self.kept = torch.ones(1)\n"
        "    @property\n    def t(self):\n        return self.kept\n"
        "box = Box()\nbox.t.to(device)\nprint(box.t)"
    ),
}  # fmt: skip

PROGRAMS = {
    **{f"device {name}": SCRIPT + body for name, body in WHERE_A_NAME_MEANS_SOMETHING_ELSE.items()},
    **{name: HEAD + body for name, body in OTHER_SCRIPTS.items()},
    **{
        name: f"{MODULE}{body}print(Net()({ARGUMENTS.get(name, 'torch.ones(3)')}))\n"
        for name, body in FORWARDS.items()
    },
    **{name: HEAD + body for name, body in MODULES.items()},
    **{f"discarded: {name}": f"{SCRIPT}{body}\n" for name, body in DISCARDS.items()},
}


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_runs_does_the_same_when_fixed(name: str, unsafe: bool) -> None:
    text = PROGRAMS[name]
    before = ran(text)
    assert not before.error
    assert fixed(text).before, "there is nothing to fix"
    if not unsafe or name not in NOT_PROVEN:
        assert ran(fixed(text, unsafe).source.text) == before


NOT_PROVEN = {"what looks like a tensor", "a number"}
"""Where fixes that aren't safe may go wrong: what they need may not be there."""


def test_modules_that_build_each_other_tell_nothing_of_their_parameters() -> None:
    text = f"""{HEAD}
class Leaf(nn.Module):
    def __init__(self, tree):
        super().__init__()
        self.tree = Tree()
class Tree(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf(self)
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
    def forward(self, x):
        return self.layers[0](x)
def pick():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Tree().to(pick())
x = torch.ones(3)
print(model(x))
"""
    assert not fixed(text).fixed
    assert "next(model.parameters()).device" in fixed(text, unsafe=True).source.text


def test_a_module_that_builds_nothing_is_not_asked_for_its_parameters() -> None:
    text = f"""{HEAD}
class Shift(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by
    def forward(self, x):
        return x + torch.full((3,), self.by, device="cuda")
def main():
    shift = Shift(1.0)
    noise = torch.randn(3)
    print(shift(noise))
"""
    assert "next(" not in fixed(text, unsafe=True).source.text


def test_a_distribution_is_given_no_device() -> None:
    text = f"""{HEAD}
from torch.distributions import HalfCauchy
class Prior(nn.Module):
    def __init__(self, scale: torch.Tensor):
        super().__init__()
        self.register_buffer("scale", scale)
    def forward(self, x):
        drawn = HalfCauchy(1).rsample(self.scale.shape)
        return torch.zeros(3) + x + drawn * self.scale
"""
    assert ".rsample(self.scale.shape).to(self.scale.device)" in fixed(text, True).source.text


def test_a_file_is_read_to_where_its_neighbour_is() -> None:
    text = """
import torch
def load_model(model, filename, device):
    try:
        model.load_state_dict(torch.load(filename, map_location=device))
    except KeyError:
        state = torch.load(filename)
        model.load_state_dict(state)
"""
    after = fixed(text).source.text
    assert "state = torch.load(filename, map_location=device)" in after
