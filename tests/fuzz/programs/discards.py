"""Moves whose result is thrown away."""

from __future__ import annotations

from .forms import forms

DISCARDS = {
    "tensor": forms("""
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
    "owner": forms("""
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
    "container": forms("""
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
    "discard": forms("""
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
}
