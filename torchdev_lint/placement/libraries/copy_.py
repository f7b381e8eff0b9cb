"""copy."""

from __future__ import annotations

from torchdev_lint.placement.domain.values import Instance, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("copy.copy", "copy.deepcopy")
def _copy(call: Call) -> Value | None:
    value = call.get(0, "x")
    if isinstance(value, Instance):
        return call.run.allocate(call.run.obj(value), value.cls, value.library)
    return value
