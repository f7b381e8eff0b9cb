"""What turns gradients on and off."""

from __future__ import annotations

from dataclasses import replace

from torchdev_lint.placement.domain.values import NONE, Const, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("torch.set_grad_enabled")
def _set_grad_enabled(call: Call) -> Value:
    """It holds for all that follows, or, in a `with`, for the body of that."""
    env = call.run.env
    env.settings = replace(env.settings, gradients=call.get(0, "mode") == Const(True))
    return NONE
