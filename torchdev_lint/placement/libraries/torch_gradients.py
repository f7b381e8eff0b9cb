"""What turns gradients on and off, and what gives parameters their first values."""

from __future__ import annotations

from torchdev_lint.placement.domain.values import NONE, Const, Value
from torchdev_lint.placement.facts.rebuilt import excuse_initialization
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members


@handles("torch.set_grad_enabled")
def _set_grad_enabled(call: Call) -> Value:
    """It holds for all that follows, or, in a `with`, for the body of that."""
    call.run.without_gradients = call.get(0, "mode") != Const(True)
    return NONE


@handles_members("torch.nn.init")
def _initialize(call: Call) -> Value | None:
    if call.arguments.positional:
        excuse_initialization(call.run, call.last, *call.arguments.positional[0])
    return None
