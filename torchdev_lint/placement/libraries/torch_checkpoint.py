"""torch.utils.checkpoint."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import CHECKPOINT_OPTIONS, CHECKPOINTS
from torchdev_lint.placement.domain.values import Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.records import replace


@handles(*CHECKPOINTS)
def _checkpoint(call: Call) -> Value | None:
    """Call what is checkpointed with the rest of the arguments."""
    if not call.arguments.positional:
        return None
    (function, _), *rest = call.arguments.positional
    keywords = call.arguments.keywords.items()
    kept = {name: pair for name, pair in keywords if name not in CHECKPOINT_OPTIONS}
    return call.apply(function, replace(call.arguments, positional=rest, keywords=kept))
