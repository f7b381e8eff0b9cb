"""torchmetrics: metrics, which are modules, some of them with state in tensors."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import COUNTING_METRICS, PER_SAMPLE
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import Value
from torchdev_lint.placement.libraries.registry import Call, handles_members
from torchdev_lint.placement.libraries.torch_layers import module_origin


@handles_members("torchmetrics")
def _metric(call: Call) -> Value | None:
    """A metric that nothing has moved is on the host, with what it counts."""
    given = call.arguments
    if f"torchmetrics.{call.last}" not in COUNTING_METRICS or call.receiver is not None:
        return None
    if given.any_keyword or PER_SAMPLE in given.keywords:
        return None
    place = call.run.env.settings.default
    origin = module_origin(call.run, call.node, call.last, place)
    if origin is None:
        return None
    obj = Obj(place, module=True, stateful=True, origin=origin)
    return call.run.allocate(obj, None, call.name, site=call.node)
