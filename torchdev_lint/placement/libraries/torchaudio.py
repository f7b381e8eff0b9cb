"""torchaudio: transforms, which are modules, some of them with buffers."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import BUFFERED_TRANSFORMS
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import Const, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.libraries.torch_layers import origin_of_module


@handles(*BUFFERED_TRANSFORMS)
def _transform(call: Call) -> Value | None:
    """A transform that nothing has moved is on the host, with its buffers.

    As a part of a module it is one like the layers of torch: it moves nothing itself. One that
    resamples from a rate to the same one has no buffers.
    """
    rates = call.get(0, "orig_freq"), call.get(1, "new_freq")
    if call.last == "Resample" and isinstance(rates[0], Const) and rates[0] == rates[1]:
        return None
    place = call.run.env.settings.default
    origin = origin_of_module(call.run, call.node, call.last, place)
    obj = Obj(place, module=True, stateful=True, origin=origin)
    return call.run.allocate(obj, None, call.name, site=call.node)
