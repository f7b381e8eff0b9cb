"""What this package itself offers to those whose code it looks at."""

from __future__ import annotations

from torchdev_lint.placement.domain.values import Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("torchdev_lint.reveal_device", "torchdev_lint.reveal.reveal_device")
def _revealed(call: Call) -> Value | None:
    """It gives back what it is given."""
    return call.get(0, "value")
