"""Programs in which things are not what they seem do the same after safe fixes.

Each shows one way in which a value may be no tensor where something takes it as one a little
later, in which a library, a layer or a variable is changed behind the back of the syntax, or in
which an object refuses an assignment.
"""

from __future__ import annotations

import textwrap

import pytest

from tests.applying.fixing import fixed
from tests.fixes.running import does_the_same

HEAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Box:
    def __init__(self, tensor):
        self.tensor = tensor
def given(value):
    return max([value], key=id)  # nothing is known of it
"""

NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        positions = torch.arange(3)
        {before}
        return self.layer(x) + positions
"""

TRY = """\
try:
    print(Net()(given('a text')))
except {error}:
    print("no tensor")
"""


def _net(after: str, before: str = "print('here')") -> str:
    body = NET.format(before=textwrap.indent(before, " " * 8).strip())
    return f"{HEAD}{body}print(type(Net()(torch.ones(3))))\n{after}"


RAISES = "def check(x):\n    if not torch.is_tensor(x):\n        raise ValueError\n"
WHAT_FOLLOWS_MAY_NOT_BE_REACHED = {
    "a function that raises": RAISES + _net(TRY.format(error="ValueError"), "check(x)"),
    "an assertion": _net(TRY.format(error="AssertionError"), "assert torch.is_tensor(x)"),
    "a return within a context": _net("print(Net()(given(5)))\n").replace(
        "        return self.layer(x) + positions",
        "        with torch.no_grad():\n"
        "            if isinstance(x, int):\n"
        "                return None\n"
        "            return self.layer(x) + positions",
    ),
    "a return within a try": _net(
        "print(Net()(given(5)))\n",
        "try:\n    if isinstance(x, int):\n        return None\n"
        "    return self.layer(x) + positions\nfinally:\n    print('end')",
    ),
    "a generator": _net("print(next(Net()(given(5))))\n", "yield 'the first'"),
    "a return in a finally": _net(
        "def run(x):\n    try:\n        return Net()(x)\n    finally:\n        return None\n"
        "print(run(given(5)))\n"
    ),
    "a context that swallows": _net(
        "class Quiet:\n    def __enter__(self):\n        pass\n"
        "    def __exit__(self, *error):\n        return True\n"
        "with Quiet():\n    Net()(given(5))\n"
    ),
    "another thread": _net(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(1) as pool:\n"
        "    print(type(pool.submit(Net(), given(5)).exception()))\n"
    ),
}

BOXED = "print(Net()(given(Box(torch.ones(3)))))\n"
CHANGED_BEHIND_THE_BACK = {
    "a hook": _net(
        "from torch.nn.modules.module import register_module_forward_pre_hook\n"
        "def unbox(module, given):\n"
        "    return (given[0].tensor,) if isinstance(module, nn.Linear) else given\n"
        f"hook = register_module_forward_pre_hook(unbox)\ntry:\n    {BOXED}finally:\n"
        "    hook.remove()\n"
    ),
    "the forward of a layer": _net(
        "net = Net()\nnet.layer.forward = lambda box: box.tensor\n"
        "print(net(given(Box(torch.ones(3)))))\n"
    ),
    "a factory": _net(
        "arange = torch.arange\ntorch.arange = lambda n: arange(n)\n"
        "try:\n    print(Net()(torch.ones(3)))\nfinally:\n    torch.arange = arange\n"
    ),
    "a class of layers, patched": _net(
        "from unittest import mock\n"
        "with mock.patch('torch.nn.Linear', lambda *sizes: lambda box: box.tensor):\n"
        f"    {BOXED}"
    ),
    "what answers for functions": HEAD
    + """\
class Lazy(Box):
    @classmethod
    def __torch_function__(cls, function, types, given=(), named=None):
        return function(*(one.tensor for one in given))
class Net(nn.Module):
    def forward(self, x):
        positions = torch.arange(3)
        return torch.relu(x) + positions
print(Net()(torch.ones(3)), Net()(given(Lazy(torch.ones(3)))))
""",
    "a kind of tensor": HEAD
    + """\
class Placeless(torch.Tensor):
    @property
    def device(self):
        raise ValueError
class Net(nn.Module):
    def forward(self, x):
        positions = torch.arange(3)
        return torch.relu(x) + positions
Net()(torch.ones(3)), Net()(given(torch.ones(3).as_subclass(Placeless)))
""",
}

PLACED = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, n):
        return self.layer(torch.ones(1, 3)) * n
print(Net()(2).shape)
"""
ANOTHER_LAYER = {
    "registered under a name from elsewhere": (
        "net = Net()\nfor name, _ in list(net.named_children()):\n"
        "    net.add_module(name, nn.Identity())\nprint(net(2))\n"
    ),
    "put in its place": (
        "net = Net()\nnet.set_submodule('lay' + str('er'), nn.Identity())\nprint(net(2))\n"
    ),
    "without its parameters": (
        "net = Net()\nnet.layer._parameters.clear()\nnet.layer.forward = abs\nprint(net(2))\n"
    ),
    "of an object that was never set up": (
        "net = Net.__new__(Net)\nnn.Module.__init__(net)\n"
        "net.add_module('lay' + str('er'), nn.Identity())\nprint(net(2))\n"
    ),
    "of an object of another class": (
        "class Other(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.add_module('lay' + str('er'), nn.Identity())\n"
        "other = Other()\nother.__class__ = Net\nprint(other(2))\n"
    ),
    "of another object": (
        "from functools import partial\nfrom types import SimpleNamespace\n"
        "print(partial(getattr(Net, 'forward'), SimpleNamespace(layer=abs))(2))\n"
    ),
    "quantized": ("print(torch.ao.quantization.quantize_dynamic(Net(), {nn.Linear})(2).shape)\n"),
}
LAYERS = {
    **{f"a layer {name}": HEAD + PLACED + after for name, after in ANOTHER_LAYER.items()},
    "parameters that are others": HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({"a": nn.Linear(3, 3)})
    def forward(self, n):
        return self.layers["a"](torch.zeros(n, 3))
net = Net()
net.parameters = lambda recurse=True: iter(())
print(net(2).shape)
""",
    "a layer that is built after it is asked for": HEAD
    + """\
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.prepare()
    def prepare(self):
        self.size = self.forward(0).shape
class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, n):
        start = torch.ones(3)
        return self.layer(start) if n else start
print(Net()(2).shape)
""",
}

LOOP = """\
model = nn.Linear(3, 1).to(device)
{before}
for x, y in DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 1)), batch_size=2):
    print((model(x) - y).shape)
"""
CHANGES = {
    "nothing": "",
    "the modules": "import sys\nsys.modules[__name__].device = 'phone'",
    "the module itself": "import __main__\n__main__.device = 'phone'",
    "eval": "eval('(device := \\'phone\\')')",
    "locals": "locals()['device'] = 'phone'",
    "what a function sees": "(lambda: 0).__globals__['device'] = 'phone'",
}

BATCHES = {
    "a batch that takes no assignment": HEAD
    + """\
from types import MappingProxyType
model = nn.Linear(3, 1).to(device)
for batch in DataLoader([1], collate_fn=lambda _: MappingProxyType({"x": torch.ones(2, 3)})):
    print(model(batch["x"]), model(batch["x"]))
""",
    "a batch of lists": HEAD
    + """\
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
    def forward(self, x):
        x = torch.stack(x) if isinstance(x, list) else x
        return self.layer(x)
model = Model().to(device)
for x, _ in DataLoader(TensorDataset(torch.ones(4, 3)), collate_fn=lambda _: ([torch.ones(3)], 1)):
    print(model(x).shape)
""",
}

KEPT = """\
class Holder:
    def __init__(self):
        self.kept = torch.ones(3)
    def show(self):
        self.kept.to(device)
        return self.kept
"""
ASSIGNMENTS = {
    "a descriptor": KEPT
    + """\
class Told:
    def __get__(self, holder, owner):
        return torch.ones(3)
    def __set__(self, holder, value):
        print("set")
Holder.kept = Told()
print(Holder().show())
""",
    "another way to set attributes": KEPT
    + """\
def told(holder, name, value):
    print("set")
    holder.__dict__[name] = value
Holder.__setattr__ = told
print(Holder().show())
""",
    "a base that says how": """\
class Base:
    def __init_subclass__(cls):
        def told(holder, name, value):
            print("set")
            holder.__dict__[name] = value
        cls.__setattr__ = told
"""
    + KEPT.replace("class Holder", "class Holder(Base)")
    + "print(Holder().show())\n",
}

PROGRAMS = {
    **WHAT_FOLLOWS_MAY_NOT_BE_REACHED,
    **CHANGED_BEHIND_THE_BACK,
    **LAYERS,
    **BATCHES,
    **{f"assigned: {name}": HEAD + text for name, text in ASSIGNMENTS.items()},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_after_safe_fixes(name: str) -> None:
    text = PROGRAMS[name]
    assert does_the_same(text)


@pytest.mark.parametrize("name", CHANGES)
def test_a_variable_that_may_be_changed_from_elsewhere_is_not_read(name: str) -> None:
    text = HEAD + LOOP.format(before=CHANGES[name])
    is_read = "x = x.to(device)" in fixed(text).source.text
    assert is_read == (name == "nothing")


def test_what_raises_nothing_in_between_keeps_a_fix_safe() -> None:
    text = _net(TRY.format(error="ValueError"), "scale = torch.sqrt(torch.ones(3))")
    assert "device=x.device" in fixed(text).source.text


def test_a_handler_around_imports_keeps_a_fix_safe() -> None:
    text = "try:\n    import numpy\nexcept Exception:\n    numpy = None\n" + _net("")
    assert "device=x.device" in fixed(text).source.text


@pytest.mark.parametrize(("end", "is_moved"), [("", False), (".numpy()", True)])
def test_what_is_left_on_the_cpu_may_meet_what_is_brought_there(end: str, is_moved: bool) -> None:
    """A label that was to be moved, and was not, is compared where the prediction was brought."""
    text = f"""
import torch


def accuracy(net, inputs: torch.Tensor, labels: torch.Tensor, device: torch.device):
    labels.to(device)
    prediction = net(inputs.to(device)).cpu(){end}
    return prediction, labels.sum()
"""
    assert ("labels = labels.to(device)" in fixed(text).source.text) == is_moved
