"""Modules with layers and tensors of their own, and what they are called with."""

from __future__ import annotations

from .forms import forms

MODULES = {
    "setup": forms("""
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
    "member": forms("""
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
    "before": forms("""
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
    "zeros": forms("""
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
    "forward": forms("""
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
    "input": forms("""
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
    "base": forms("""
nn.Module
--
nn.Module
--
Base
"""),
    "module": forms("""
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
    "called": forms("""
print(net($input))
--
print(net($input))
--
try:
    print(net($input))
except TypeError:
    print("another type")
"""),
}
