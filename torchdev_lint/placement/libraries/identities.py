"""Functions of several libraries that give back what they are given."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import IDENTITIES, TRANSPARENT_ITERATORS
from torchdev_lint.catalog.modules import WRAPPERS
from torchdev_lint.placement.defects.rebuilt import excuse_initialization
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Place,
    Tensor,
    Value,
    alternatives,
    without_none,
)
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members


@handles(*IDENTITIES)
def _identity(call: Call) -> Value | None:
    """What a cast gives is not None."""
    value = call.get(IDENTITIES[call.name])
    if value is None:
        return None
    return choice(without_none(alternatives(value)))


@handles(*TRANSPARENT_ITERATORS)
def _iterated(call: Call) -> Value | None:
    return call.get(0, "iterable")


@handles(*WRAPPERS)
def _wrapped(call: Call) -> Value | None:
    return call.get(0)


@handles("torch.autograd.Variable")
def _variable(call: Call) -> Value | None:
    """What is wrapped is a tensor, whatever else is known of it."""
    value = call.get(0, "data")
    if value is None:
        return None
    return choice([Tensor(Place.UNKNOWN) if o == UNKNOWN else o for o in alternatives(value)])


@handles("torch.Size")
def _size(call: Call) -> Value | None:
    return call.get(0)


@handles_members("torch.nn.init")
def _initialised(call: Call) -> Value | None:
    if call.arguments.positional:
        excuse_initialization(call.run, call.last, *call.arguments.positional[0])
    return call.get(0, "tensor")
