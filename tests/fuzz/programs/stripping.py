"""Models that lose their parameters, buffers or parts before they are used, and still run."""

from __future__ import annotations

from .forms import forms

_LOSSES = {
    # Of a layer that does without its parameters.
    "layer": forms("""
del model.weight, model.bias
model.weight = model.bias = None
--
model.weight = None
model.bias = None
--
model.weight, model.bias = None, None
--
for name in ("weight", "bias"):
    setattr(model, name, None)
--
for name in list(model._parameters):
    model._parameters[name] = None
--
model._parameters.clear()
model.weight = model.bias = None
--
model._parameters = dict.fromkeys(model._parameters)
--
vars(model)["_parameters"].update(weight=None, bias=None)
--
model.register_parameter("weight", None)
model.register_parameter("bias", None)
--
model.__init__(3, elementwise_affine=False)
--
model.bias = None
--
model.weight = nn.Parameter(torch.ones(3))
"""),
    # Of a container of layers.
    "container": forms("""
model[0] = nn.Identity()
--
del model[0]
--
model.pop(0)
--
model._modules.clear()
--
while len(model):
    model._modules.popitem()
--
model._modules["0"] = nn.Identity()
--
model._modules = {}
--
model.add_module("0", nn.Identity())
--
model.register_module("0", nn.Identity())
--
model.set_submodule("0", nn.Identity())
--
setattr(model, "0", nn.Identity())
--
for name, _ in list(model.named_children()):
    setattr(model, name, nn.Identity())
--
model[0] = nn.Linear(3, 3)
"""),
    # Of a module of the program, with a buffer and layers.
    "module": forms("""
model.inner = nn.Identity()
model.layers = nn.ModuleList()
--
del model.inner, model.layers
model.inner, model.layers = torch.relu, []
--
model.inner, model.layers = nn.Identity(), model.layers[:0]
--
model._modules["inner"] = nn.Identity()
del model.layers[:]
--
setattr(model, "inner", nn.Identity())
model.layers[0] = nn.Identity()
--
model._modules.clear()
model.inner, model.layers = torch.relu, ()
--
model.inner = nn.Identity()
while model.layers:
    model.layers.pop(0)
--
for part in model.modules():
    for name, child in list(part.named_children()):
        if isinstance(child, nn.Linear):
            part._modules[name] = nn.Identity()
--
kept = torch.ones_like(model.shift)
model.shift = None
model.shift = kept
--
del model.shift
model.shift = 1
--
model._buffers.clear()
model.shift = 1
--
model.register_buffer("shift", torch.ones_like(model.shift))
--
model.inner = nn.Linear(3, 3)
"""),
}
_WAYS = forms("""
$loss
--
$loss
--
if args.lr:
    $loss
--
if not args.lr:
    $loss
--
def strip(model):
    $loss
strip(model)
--
def strip():
    $loss
strip()
--
other = model
def strip(model=other):
    $loss
strip()
--
for model in [model]:
    $loss
--
try:
    $loss
finally:
    pass
--
with torch.no_grad():
    $loss
--
(lambda function: function())(lambda: None)
$loss
--
class Stripper:
    def __init__(self, model):
        self.model = model
    def strip(self):
        model = self.model
        $loss
Stripper(model).strip()
""")


def _stripped(kind: str) -> tuple[str, ...]:
    """The ways in which a kind of model loses what it has."""
    return tuple(way.replace("$loss", f"$of_{kind}") for way in _WAYS)


STRIPPING = {
    **{f"of_{kind}": losses for kind, losses in _LOSSES.items()},
    **{f"strip_{kind}": _stripped(kind) for kind in _LOSSES},
    "stripped": forms("""
model = nn.LayerNorm(3)$sent
$strip_layer
$unnamed
$use
--
model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())$sent
$strip_container
$unnamed
$use
--
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.ones(3))
        self.inner = nn.Linear(3, 3)
        self.layers = nn.ModuleList([nn.Linear(3, 3)])
    def forward(self, x):
        x = self.inner(x)
        for layer in self.layers:
            x = layer(x)
        return x
    def shifted(self, n):
        return self.inner(torch.ones(3)) * n + self.shift
model = Whole()$sent
$strip_module
$unnamed
print(model.shifted(2))
$use
"""),
    "sent": forms("""
.to(device)
--
.to(args.device)
--
.to(pick())
"""),
    "unnamed": forms("""
pass
--
del device
"""),
}
PLAINLY = {f"of_{kind}": ("pass",) for kind in _LOSSES} | {"unnamed": ("pass",)}
"""For programs in which models keep what they have."""
