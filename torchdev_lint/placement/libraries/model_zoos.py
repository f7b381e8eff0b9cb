"""Functions of several libraries that give a model: timm, torch.hub, torchvision, CLIP."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import (
    EXTRACTORS,
    MODEL_FUNCTIONS,
    PLACED_BY_THEMSELVES,
    WITH_TRANSFORM,
    builds_model,
)
from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import UNKNOWN, Instance, Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.torch_layers import origin_of_module
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.placement.python.namespaces import ANY_OF_PROJECT


@handles(*MODEL_FUNCTIONS, *PLACED_BY_THEMSELVES, ANY_OF_PROJECT)
def _model(call: Call) -> Value:
    place = call.run.env.settings.default
    is_vague = call.name in PLACED_BY_THEMSELVES or call.name == ANY_OF_PROJECT
    origin = None if is_vague else origin_of_module(call.run, call.node, call.last, place)
    obj = Obj(Place.HOST, module=True, stateful=True, origin=origin)
    return call.run.allocate(obj, None, call.name, site=call.node)


@handles(*WITH_TRANSFORM)
def _model_with_transform(call: Call) -> Value:
    device, run = call.get(1, "device"), call.run
    chosen = Place.ACCELERATOR if run.supposing else Place.UNKNOWN
    place = chosen if device is None else place_of(run, device, call.arguments.node(1, "device"))
    obj = Obj(place or Place.UNKNOWN, module=True, stateful=True)
    model = run.allocate(obj, None, call.name, site=call.node)
    return sequence([model, UNKNOWN], SequenceKind.TUPLE)


@handles(*EXTRACTORS)
def _extractor(call: Call) -> Value:
    """What is made of the parts of a model is where that is."""
    whole, run = call.get(0, "model"), call.run
    place = run.obj(whole).place if isinstance(whole, Instance) else Place.UNKNOWN
    obj = Obj(place, module=True, stateful=True)
    return run.allocate(obj, None, call.name, site=call.node)


@handles_members("torchvision.models")
def _torchvision_model(call: Call) -> Value | None:
    """A function there that is not about weights builds a model."""
    return _model(call) if builds_model(call.name) else None
