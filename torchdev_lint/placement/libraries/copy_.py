"""copy."""

from __future__ import annotations

from dataclasses import replace

from torchdev_lint.placement.domain.heap import is_left
from torchdev_lint.placement.domain.values import Instance, Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("copy.copy", "copy.deepcopy")
def _copy(call: Call) -> Value | None:
    value = call.get(0, "x")
    if isinstance(value, Instance):
        obj = call.run.obj(value)
        if is_left(obj):  # what moves its parts is not followed
            obj = replace(obj, place=Place.UNKNOWN, origin=None)
        return call.run.allocate(obj, value.cls, value.library)
    return value
