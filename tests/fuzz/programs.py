"""Programs that run on a CPU, each with something to fix and something in the way, at random.

Each form is a piece of a program with holes: `$word` is filled with a form of that kind, on a line
of its own with a block. The names are always the same ones, `device`, `model`, `args`, `x`, so that
pieces get in each other's way: what one deletes, binds anew or shadows, the fix of another one
might use. `calls` is printed at the end, so that what is called once more shows.
"""

from __future__ import annotations

import random
import re

_HOLE = re.compile(r"^( *)\$(\w+)$|\$(\w+)", re.MULTILINE)

HEAD = """\
import functools
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

calls = []
KEYWORDS = {"device": "cpu"}


def pick():
    calls.append("pick")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def twice(function):
    @functools.wraps(function)
    def called(*arguments, **keywords):
        function(*arguments, **keywords)
        return function(*arguments, **keywords)
    return called


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 1)

    def forward(self, x):
        return self.inner(x)


args = SimpleNamespace(
    cuda=torch.cuda.is_available(),
    device="cuda" if torch.cuda.is_available() else "cpu",
    lr=1,
)
loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 1)), batch_size=2)
"""


def _forms(text: str) -> tuple[str, ...]:
    return tuple(form.strip("\n") for form in re.split(r"^--\n", text, flags=re.MULTILINE))


FORMS = {
    "chosen": _forms("""
torch.device("cuda" if torch.cuda.is_available() else "cpu")
--
"cuda" if torch.cuda.is_available() else "cpu"
--
args.device
--
pick()
"""),
    "device": _forms("""
device = $chosen
--
device = $chosen
--
if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")
--
use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
--
device = "cpu"
if torch.cuda.is_available():
    device = "cuda"
--
(device := $chosen)
--
with torch.no_grad():
    device = $chosen
--
try:
    device = $chosen
except RuntimeError:
    device = torch.device("cpu")
--
for device in [$chosen]:
    pass
--
device, other = $chosen, "phone"
--
if args.lr:
    device = $chosen
"""),
    "model": _forms("""
model = nn.Linear(3, 1).to(device)
--
model = nn.Linear(3, 1).to(device)
--
model = nn.Linear(3, 1)
model.to(device)
--
model = nn.Sequential(nn.Linear(3, 1)).to(device)
--
model = Small().to(device)
--
model = nn.Linear(3, 1).to(args.device)
--
model = nn.Linear(3, 1)
if args.cuda:
    model.cuda()
--
model = nn.Linear(3, 1)
if torch.cuda.is_available():
    model.cuda()
--
model = nn.Linear(3, 1)
model = model.to(device) if args.cuda else model
--
model = nn.Linear(3, 1).to(pick())
--
devices = [device]
model = nn.Linear(3, 1).to(devices.pop())
--
def build():
    device = $chosen
    return nn.Linear(3, 1).to(device)
model = build()
--
def build(device):
    return nn.Linear(3, 1).to(device)
model = build(device)
"""),
    "disturb": _forms("""
pass
--
pass
--
pass
--
del device
--
device = 7
--
device = "phone"
--
for device in "ab":
    pass
--
args = SimpleNamespace(lr=1)
--
del args.device
--
args.device = "phone"
--
args.cuda = "yes"
--
del args
--
def rename():
    global device
    device = "phone"
rename()
--
def remove():
    global device
    del device
remove()
--
if args.lr:
    device = "phone"
--
if not args.lr:
    device = "phone"
--
try:
    device = "phone"
except ValueError:
    pass
--
try:
    raise ValueError
except ValueError as device:
    pass
--
with suppress(KeyError):
    device = "phone"
    raise KeyError
--
with suppress(KeyError):
    raise KeyError
    device = "cpu"
--
import math as device
--
class device:
    pass
--
def device():
    return "phone"
--
match "phone":
    case device:
        pass
--
while True:
    device = "phone"
    break
--
device, _ = "phone", 1
--
print([device := letter for letter in "ab"])
--
print([device for device in "ab"])
--
for number in range(2):
    if number:
        device = "phone"
--
next = 3
--
def next(first, second):
    return 1
--
from math import *
--
model.parameters = lambda: iter(())
--
globals()["device"] = "phone"
--
setattr(args, "device", "phone")
--
vars(args).clear()
--
def __getattr__(name):
    return "phone"
"""),
    "made": _forms("""
torch.ones(2, 3)
--
torch.ones(2, 3)
--
torch.ones(2, 3, dtype=torch.float32)
--
torch.ones(2, 3, **KEYWORDS)
--
torch.full((2, 3), 0.5)
--
torch.tensor([[1.0, 2.0, 3.0]])
--
torch.randn(2, 3, generator=torch.Generator().manual_seed(1))
"""),
    "scored": _forms("""
model($made).sum().item()
--
model(x).sum().item()
--
[model(x).sum().item() for device in "ab"]
--
[model($made).sum().item() for device in "ab"]
--
(lambda device: model($made).sum().item())("phone")
--
(model(x) if x is not None else x)
--
(model(x.view(-1, 3)).sum().item(), x.shape)
"""),
    "use": _forms("""
print(model($made).sum().item())
--
x = $made
$disturb
print($scored)
--
x = $made
print($scored, $scored)
--
for x, y in loader:
    $disturb
    print(model(x).sum().item())
--
for x, y in loader:
    print((model(x) - y).sum().item())
    $disturb
--
for batch in loader:
    x, y = batch
    print(model(x).sum().item(), y.shape)
--
for x, y in loader:
    moved = x.to($place)
    $disturb
    print(model(x).sum().item(), moved.sum().item())
--
for x, y in loader:
    y = y.to($place)
    print((model(x) - y).sum().item())
--
for x, y in loader:
    if args.lr:
        y = y.to($place)
    print(model(x).sum().item())
--
for x, y in loader:
    moved = x.to($place)
    $rebound
    print(model(x).sum().item(), moved.sum().item())
--
x = None
if args.lr:
    x = $made
print(model(x).sum().item() if x is not None else x)
--
def score():
    return model($made).sum().item()
print(score())
--
def score(device):
    $disturb
    return model($made).sum().item()
print(score("phone"))
--
def score(model, device=None):
    for x, y in loader:
        print(model(x).sum().item())
score(model, device)
--
def score(model, args):
    for x, y in loader:
        print(model(x).sum().item(), args.lr)
score(model, SimpleNamespace(lr=1))
--
def score(model, *device, **args):
    return model($made).sum().item()
print(score(model, 1, lr=1))
--
score = lambda device: model($made).sum().item()
print(score("phone"))
--
def outer(device):
    def inner():
        return model($made).sum().item()
    $disturb
    return inner
print(outer("phone")())
--
@twice
def score():
    if not args.lr:
        return 0
    x = $made
    $disturb
    return $scored
print(score())
--
def scores():
    device = "phone"
    yield model($made).sum().item()
    for x, y in loader:
        yield model(x).sum().item()
print(list(scores()))
--
print(list(model($made).sum().item() for device in "ab"))
--
class Scorer:
    device = "phone"
    score = model($made).sum().item()
print(Scorer.score)
--
class Scorer:
    def __init__(self, device):
        self.device = device
        $disturb
    def score(self):
        return model($made).sum().item()
print(Scorer("phone").score())
--
class Scorer:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.model.to(self.device)
    @property
    def device(self):
        calls.append("device")
        return args.device
    def score(self):
        for x, y in loader:
            print(self.model(x).sum().item())
Scorer().score()
--
def early():
    if args.lr:
        $disturb
        return model($made).sum().item()
    device = "cpu"
    return device
print(early())
"""),
    "place": _forms("""
device
--
device, torch.float64
--
args.device
--
"cpu"
--
device=device, copy=True
"""),
    "rebound": _forms("""
moved = moved * 2
--
x = x + 1
--
del moved
moved = x + 2
--
moved, x = x, moved
"""),
    "setup": _forms("""
self.layer = nn.Linear(3, 3)
--
self.layer = nn.Linear(3, 3)
self.register_buffer("offset", torch.ones(3))
--
if args.lr:
    self.layer = nn.Linear(3, 3)
--
self.layer = nn.Sequential(nn.Linear(3, 3))
--
self.scale = nn.Parameter(torch.ones(3))
self.layer = nn.LayerNorm(3)
--
self.layer = nn.LayerNorm(3)
if args.lr:
    return
self.width = 3
--
self.layer = nn.LayerNorm(3)
del self.layer
self.layer = nn.Identity()
--
self.layer = nn.Linear(3, 3)
self.settings = {"device": "cpu", "dtype": torch.float32}
self.device = "phone"
--
self.width = 3
self.layer = nn.LayerNorm(self.width)
self.device = pick()
"""),
    "member": _forms("""
pass
--
pass
--
pass
--
def parameters(self, recurse=True):
    return iter(())
--
@property
def layer(self):
    return torch.relu
--
@property
def norm(self):
    return 1
--
norm = 1
--
def __getattr__(self, name):
    if name == "device":
        return "phone"
    return super().__getattr__(name)
--
@property
def device(self):
    calls.append("device")
    return "phone"
--
def __setattr__(self, name, value):
    if name != "norm":
        super().__setattr__(name, value)
"""),
    "before": _forms("""
pass
--
pass
--
pass
--
next = 3
--
device = "phone"
--
n = len(x.shape) if hasattr(x, "shape") else 3
--
x = $input
--
if args.lr:
    x = x + 0
--
self.layer = nn.Identity()
--
self = SimpleNamespace(layer=self.layer, device="phone", scale=1)
--
more = {"device": "cpu"}
--
inner = lambda x: torch.ones(3) + x
print(inner(x))
--
x = nn.functional.relu(x)
--
def inner(device):
    return torch.ones(3) + x
print(inner("phone"))
"""),
    "zeros": _forms("""
torch.zeros(3)
--
torch.zeros(3)
--
torch.zeros(3, **KEYWORDS)
--
torch.zeros(3, **dict(device="cpu"))
--
torch.zeros(3, device=None)
--
torch.zeros(3, device="cpu")
--
torch.full([3], 2.0)
--
torch.from_numpy(torch.ones(3).numpy())
--
torch.stack([torch.zeros(3) for device in "a"])
--
helper(3)
--
helper(3, device=None)
--
helper(*[3])
"""),
    "forward": _forms("""
return x + $zeros
--
return $zeros + x
--
return self.layer(x) + $zeros
--
return self.layer($zeros)
--
y = $zeros
$before
return self.layer(x) + y
--
y = self.layer(x)
$before
return y * $zeros
--
return torch.relu(x) + $zeros
--
return nn.functional.linear($zeros, torch.ones(3, 3)) + x
--
if args.lr:
    return $zeros + x.sum()
return self.layer(x)
--
y = $zeros
if not hasattr(x, "shape"):
    return y
return self.layer(x) + y
--
try:
    return self.layer($zeros) + x
except TypeError:
    return None
--
return torch.cat([x, $zeros])
--
return [y + $zeros for y in (x, x)]
--
y = $zeros
return y + x if isinstance(x, float) else self.layer(x) + y
--
norm = nn.LayerNorm(3)
return norm(x)
--
norm = nn.LayerNorm(3)
return norm(self.layer(x)) * getattr(self, "norm", 2)
--
return nn.LayerNorm(3)(x) + len(list(self.children()))
--
norm = nn.LayerNorm(3).to(x.device)
return norm(x).relu()
--
for size in [3, 3]:
    x = nn.LayerNorm(size)(x)
return x
"""),
    "input": _forms("""
torch.ones(3)
--
torch.ones(3)
--
torch.ones(3)
--
torch.ones(3)
--
2.0
--
torch.ones(3).numpy()
--
Odd()
"""),
    "base": _forms("""
nn.Module
--
nn.Module
--
Base
"""),
    "module": _forms("""
def helper(size, device=None):
    return torch.zeros(size, device=device)
class Odd:
    data = torch.ones(3)
    def __add__(self, other):
        return self.data + other
    __radd__ = __add__
    def sum(self):
        return self.data.sum()
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 3
    $member
class Net($base):
    def __init__(self):
        super().__init__()
        $setup
    $member
    def forward(self, x):
        $before
        $forward
$disturb
net = Net()
for _ in range(2):
    $called
"""),
    "called": _forms("""
print(net($input))
--
print(net($input))
--
try:
    print(net($input))
except TypeError:
    print("another type")
"""),
    "tensor": _forms("""
x = torch.ones(3)
--
x = torch.ones(3, dtype=torch.float64)
--
x = nn.functional.relu(torch.ones(3))
--
x = torch.ones(3)
if args.lr:
    x = torch.ones(2)
"""),
    "move": _forms("""
.to(device)
--
.to(device)
--
.to(device=device, non_blocking=True)
--
.to(args.device)
--
.to(pick())
--
.to("cpu")
--
.to(device, torch.float16)
--
.half()
--
.to(device, copy=True)
"""),
    "owner": _forms("""
class Box:
    def __init__(self):
        self.t = torch.ones(2)
--
class Box:
    t = torch.ones(2)
--
class Box:
    __slots__ = ("t",)
    def __init__(self):
        self.t = torch.ones(2)
--
class Box:
    __slots__ = ("kept",)
    def __init__(self):
        self.kept = torch.ones(2)
    @property
    def t(self):
        calls.append("t")
        return self.kept
--
@dataclass
class Box:
    t: torch.Tensor = None
    def __post_init__(self):
        self.t = torch.ones(2)
--
@dataclass(frozen=bool(args.lr))
class Box:
    t: torch.Tensor = torch.ones(2)
--
class Box:
    def __init__(self):
        self.t = torch.ones(2)
    def __setattr__(self, name, value):
        if hasattr(self, name):
            raise AttributeError(name)
        super().__setattr__(name, value)
"""),
    "container": _forms("""
[torch.ones(1), torch.ones(2)]
--
(torch.ones(1), torch.ones(2))
--
{torch.ones(1)}
--
tuple([torch.ones(1)])
--
list((torch.ones(1),))
--
frozenset([torch.ones(1)])
--
SimpleNamespace(__iter__=None) and [torch.ones(1)]
"""),
    "discard": _forms("""
$tensor
x$move
print(x)
--
$tensor
x.view(-1, 1)$move
print(x.shape)
--
$tensor
x.sum()$move
print(x)
--
$tensor
y = x
x$move
y += 1
print(x)
--
def make():
    return torch.ones(1)
make()$move
print(make())
--
$owner
box = Box()
box.t$move
print(box.t)
--
ts = $container
for t in ts:
    t$move
print(type(ts), len(ts))
--
ts = $container
for t in ts:
    t$move
print(type(ts), t)
--
ts = $container
[t$move for t in ts]
print(type(ts), len(ts))
--
ts = {"a": torch.ones(1)}
for t in ts.values():
    t$move
print(ts)
--
ts = {"a": torch.ones(1)}
ts["a"]$move
print(ts)
--
ts = $container
with suppress(TypeError):
    ts[0]$move
print(type(ts))
--
def keep(x, device):
    x$move
    return x
print(keep(torch.ones(2), "cpu"), keep(torch.ones(2), torch.float16))
--
def keep(x):
    $disturb
    x$move
    return x
print(keep(torch.ones(2)))
--
$tensor
args.lr and x$move
print(x)
--
$tensor
x$move if args.lr else None
print(x)
--
x = torch.ones(2)
def keep():
    x$move
    return x
print(keep())
--
print([x for x in [torch.ones(1)]])
x = torch.ones(2)
[x$move for x in [x]]
print(x)
"""),
    "script": _forms("""
$device
$model
$disturb
$use
$disturb
$use
--
$device
$model
$disturb
$use
--
def main():
    $device
    $model
    $disturb
    $use
main()
--
def setup():
    global device, model
    $device
    $model
setup()
$disturb
$use
--
$device
$model
$device
$use
--
if args.lr:
    $device
    $model
    $disturb
    $use
--
$device
$module
--
$module
--
$device
$discard
--
$device
$disturb
$discard
--
def main():
    $device
    $discard
main()
"""),
}
"""What each hole may be filled with; what is more common stands there more often."""

PLAIN = {
    **FORMS,
    "disturb": ("pass",),
    "before": ("pass",),
    "input": ("torch.ones(3)",),
    "chosen": FORMS["chosen"][:2],
    "place": FORMS["place"][:1],
    "move": FORMS["move"][:3],
    "made": FORMS["made"][:3],
    "model": FORMS["model"][:5],
    "member": tuple(form for form in FORMS["member"] if "phone" not in form),
    "setup": tuple(form for form in FORMS["setup"] if "del " not in form and "phone" not in form),
    "discard": tuple(form for form in FORMS["discard"] if "float16" not in form),
}
"""The same for programs in which names mean what they seem to mean, and moves only move.

What is not certain of them is so all the same: that is what unsafe fixes need.
"""


def holes(form: str) -> list[str]:
    """Return the kinds of forms that one has holes for."""
    return [block or word for _, block, word in _HOLE.findall(form)]


class Author:
    """Writes programs.

    Args:
        chance: what to draw from.
        plain: whether all names shall mean what they seem to mean.
    """

    def __init__(self, chance: random.Random, plain: bool = False) -> None:
        self._chance = chance
        self._forms = PLAIN if plain else FORMS

    def program(self) -> str:
        """Return a program."""
        return f"{HEAD}{self._filled('script')}\nprint(calls)\n"

    def _filled(self, kind: str) -> str:
        return _HOLE.sub(self._hole, self._chance.choice(self._forms[kind]))

    def _hole(self, hole: re.Match[str]) -> str:
        margin, block, word = hole.groups()
        if block:
            return "\n".join(margin + line for line in self._filled(block).split("\n"))
        return self._filled(word)
