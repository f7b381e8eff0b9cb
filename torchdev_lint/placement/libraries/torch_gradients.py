"""What turns gradients on and off, and what is done with all parameters for optimizers."""

from __future__ import annotations

from dataclasses import replace

from torchdev_lint.placement.domain.values import NONE, Const, Tensor, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.iteration import element_of


@handles("torch.set_grad_enabled")
def _set_grad_enabled(call: Call) -> Value:
    """It holds for all that follows, or, in a `with`, for the body of that."""
    env = call.run.env
    env.settings = replace(env.settings, gradients=call.get(0, "mode") == Const(True))
    return NONE


@handles("torch.nn.utils.parameters_to_vector")
def _as_one_vector(call: Call) -> Value | None:
    """All parameters of a module, one behind the other, where they are."""
    parameters = call.get(0, "parameters")
    element = None if parameters is None else element_of(call.run, parameters, call.node)
    return element.computed(scalar=False) if isinstance(element, Tensor) else None
