"""Classes of whatever library, by what they are: what building one gives."""

from __future__ import annotations

from torchdev_lint.catalog.classes import STRUCTURE, ClassKind, kinds_of
from torchdev_lint.catalog.ecosystem import MODEL_LIBRARIES
from torchdev_lint.placement.domain.heap import OWN_STATE, Obj
from torchdev_lint.placement.domain.values import Bundle, Place, Tensor, Value
from torchdev_lint.placement.libraries.registry import Call, handles_kind
from torchdev_lint.placement.libraries.torch_layers import layer_place, origin_of_module
from torchdev_lint.placement.python.iteration import loader_out_of_sight


@handles_kind(ClassKind.LAYER)
def _layer(call: Call) -> Value | None:
    """A layer certainly has state, which what it is applied to meets: it moves nothing itself.

    As a part of another module it is one like others, unless its library leaves moving to the
    caller.
    """
    run, place = call.run, layer_place(call.run, call.arguments)
    origin = origin_of_module(run, call.node, call.last, place)
    if origin is None and not call.name.startswith(MODEL_LIBRARIES):
        return None
    obj = Obj(place, module=True, stateful=True, origin=origin)
    return call.run.allocate(obj, None, call.name, site=call.node)


@handles_kind(ClassKind.MODULE)
def _module(call: Call) -> Value:
    """A module is where it puts itself, up to the first move; whether it has state is not known.

    Unless its library leaves moving to the caller, its class is as good as any out of sight.
    """
    library = call.name if call.name.startswith(MODEL_LIBRARIES) else ""
    obj = Obj(Place.UNKNOWN, module=True)
    if ClassKind.LAYER in (kinds_of(call.name) or ()):
        state = Tensor(Place.UNKNOWN, registered=True)
        obj = obj.with_attributes({OWN_STATE: state})
    return call.run.allocate(obj, None, library, site=call.node)


@handles_kind(ClassKind.LOADER)
def _loader(call: Call) -> Value:
    return loader_out_of_sight(call.run, Bundle(Place.HOST, own=True))


@handles_kind(ClassKind.MOVER)
def _mover(call: Call) -> Value | None:
    """A structure of tensors, or something that holds one, such as a pipeline of models."""
    kinds = kinds_of(call.name) or frozenset()
    if kinds == STRUCTURE:
        return Bundle(Place.UNKNOWN, in_place=True)
    if ClassKind.DATASET in kinds:
        return None
    return call.run.allocate(Obj(Place.UNKNOWN), None, call.name, site=call.node)
