"""Functions of several libraries that give a model on the host: timm, torch.hub, torchvision."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import MODEL_FUNCTIONS
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members


@handles(*MODEL_FUNCTIONS)
def _model(call: Call) -> Value:
    obj = Obj(Place.HOST, module=True, stateful=True)
    return call.run.allocate(obj, None, call.name, site=call.node)


@handles_members("torchvision.models")
def _torchvision_model(call: Call) -> Value | None:
    """A function there that is not about weights builds a model."""
    builds = call.last[:1].islower() and "weights" not in call.last.lower()
    return _model(call) if builds else None
