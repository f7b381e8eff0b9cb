"""Reading checkpoints: torch.load."""

from __future__ import annotations

from torchdev_lint.catalog.checkpoints import CHECKPOINT_READERS
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import Bundle, Place, Value
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*CHECKPOINT_READERS)
def _load(call: Call) -> Value | None:
    """What was saved is on the host if `map_location` says so."""
    target = call.get(1, "map_location")
    if target is None or place_named(target, None) is not Place.HOST:
        return None
    return Bundle(Place.HOST, call.run.made(call.node, OriginKind.CHECKPOINT, call.name))
