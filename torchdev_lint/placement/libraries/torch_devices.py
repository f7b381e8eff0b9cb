"""torch.device, whether there is an accelerator, and which device is the default."""

from __future__ import annotations

from torchdev_lint.catalog.devices import AVAILABLE
from torchdev_lint.placement.domain.values import (
    NONE,
    Const,
    DeviceValue,
    Library,
    Place,
    Scalar,
    ScalarKind,
    Value,
)
from torchdev_lint.placement.evidence.devices import index_named
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.records import replace


@handles(*AVAILABLE)
def _available(call: Call) -> Value:
    run = call.run
    if not run.supposing:
        return Scalar(ScalarKind.BOOL)
    return Const(not context_of(run.main).hides_accelerators)


@handles("torch.accelerator.current_accelerator")
def _current_accelerator(call: Call) -> Value:
    return DeviceValue(Place.ACCELERATOR)


@handles("torch.device")
def _device(call: Call) -> Value:
    value = call.get(0, "device") or call.get(0, "type")
    if value is None:
        return DeviceValue(Place.UNKNOWN)
    place = place_of(call.run, value, call.arguments.node(0, "device"))
    number = call.get(1, "index") or value
    return DeviceValue(place or Place.UNKNOWN, index_named(number))


@handles("torch.set_default_device")
def _set_default_device(call: Call) -> Value:
    value = call.get(0)
    place = Place.UNKNOWN if value is None else place_of(call.run, value, call.arguments.node(0))
    _put_tensors(call, place or Place.UNKNOWN)
    return NONE


@handles("torch.set_default_tensor_type")
def _set_default_tensor_type(call: Call) -> Value:
    value = call.get(0)
    name = value.value if isinstance(value, Const) else None
    if isinstance(value, Library):
        name = value.name
    if not isinstance(name, str):
        _put_tensors(call, Place.UNKNOWN)
    elif ".cuda." in name:
        _put_tensors(call, Place.ACCELERATOR)
    return NONE


def _put_tensors(call: Call, place: Place) -> None:
    run = call.run
    is_brought = run.is_elsewhere and place is Place.ACCELERATOR
    site = run.site(run.frame.file, call.node) if is_brought else None
    run.env.settings = replace(run.env.settings, default=place, lasts=True, brought=site)
