"""torch.optim: optimizers, and what schedules them."""

from __future__ import annotations

from torchdev_lint.catalog.optimizers import FILLED_WHEN_BUILT, OPTIMIZERS
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import NONE, UNKNOWN, Function, Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.python import optimizers


@handles(*OPTIMIZERS)
def _optimizer(call: Call) -> Value:
    for value in call.arguments.values():
        excuse(call.run, value)
    keeps = optimizers.keeps_tensors(call.name, call.get(2, "momentum"))
    parameters = call.arguments.node(0, "params")
    optimizer = optimizers.built(call.run, call.name, parameters, call.node, keeps)
    if call.name in FILLED_WHEN_BUILT:
        optimizers.filled(call.run, optimizer, call.node)
    return optimizer


@handles(*(f"{name}.load_state_dict" for name in OPTIMIZERS))
def _load(call: Call) -> Value:
    """What is loaded is copied to where the parameters are."""
    if call.receiver is not None:
        optimizers.filled(call.run, call.receiver, call.node)
    return NONE


@handles(*(f"{name}.add_param_group" for name in OPTIMIZERS))
def _extend(call: Call) -> Value:
    if call.receiver is not None:
        optimizers.forget(call.run, call.receiver)
    return NONE


@handles(*(f"{name}.step" for name in OPTIMIZERS))
def _step(call: Call) -> Value:
    """What computes the loss is called, if it is given, and what that gives is given back.

    Source: https://docs.pytorch.org/docs/stable/optim.html#optimizer-step-closure
    """
    closure = call.get(0, "closure")
    loss = call.apply(closure, Arguments()) if isinstance(closure, Function) else UNKNOWN
    if call.receiver is not None:
        optimizers.stepped(call.run, call.receiver, call.node)
    return loss


@handles_members("torch.optim.lr_scheduler")
def _scheduler(call: Call) -> Value | None:
    """It changes numbers of an optimizer, and nothing else."""
    if not call.last[:1].isupper():
        return None
    return call.run.allocate(Obj(Place.UNKNOWN), None, call.name, site=call.node)
