"""safetensors.

Source: https://huggingface.co/docs/safetensors/api/torch
"""

from __future__ import annotations

from torchdev_lint.catalog.checkpoints import SAFETENSORS_READERS
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import Bundle, Place, Value
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*SAFETENSORS_READERS)
def _load(call: Call) -> Value | None:
    """A dict of tensors, on the host unless `device` says something else."""
    if call.arguments.open_ended:
        return None
    device = call.get(1, "device")
    if device is not None:
        if place_named(device, call.arguments.node(1, "device")) is not Place.HOST:
            return None
    origin = call.run.made(call.node, OriginKind.LOADED, call.name)
    return Bundle(Place.HOST, origin)
