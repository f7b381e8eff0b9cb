"""Functions that call themselves: how far that is followed."""

from __future__ import annotations

from collections.abc import Sequence as Several

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import (
    Bundle,
    Const,
    DeviceValue,
    DtypeValue,
    Function,
    Instance,
    Scalar,
    Tensor,
    Value,
    alternatives,
)

_TENSORS = (Tensor, Bundle, Sequence, Mapping)
"""What may be a tensor, or hold some."""
_KNOWN = (Const, DeviceValue, DtypeValue, Scalar, *_TENSORS)
"""Values of which it is known what they hold."""
_MOST = 3
"""How many structures that hold each other are gone into."""


def recursion(frames: Several[Frame], function: Function, arguments: Arguments) -> Frame | None:
    """Return the call in progress that the call of a function would only repeat, if there is one.

    A call for a structure that calls itself for what is in it is followed: it ends there.

    Args:
        frames: the calls in progress.
    """
    around = [frame for frame in frames if _is_call_of(frame, function)]
    if not around or (len(around) <= _MOST and _is_of_part(around[-1], arguments)):
        return None
    return around[0]


def _is_call_of(frame: Frame, function: Function) -> bool:
    """Whether a call in progress is one of a function, for whatever object of one class.

    What a method does for a part of its object, which is of another class, is no recursion, as
    where a constructor that all have has each build its own parts.
    """
    if frame.node is not function.node:
        return False
    mine, its = function.bound, frame.bound
    return not (isinstance(mine, Instance) and isinstance(its, Instance) and mine.cls != its.cls)


def _is_of_part(frame: Frame, arguments: Arguments) -> bool:
    """Whether a call in progress has a structure, and calls itself for what is in it.

    As in `tuple(detached(part) for part in state)`: what is given has fewer layers.
    """
    given = arguments.values()
    if arguments.open_ended or not all(isinstance(value, _KNOWN) for value in given):
        return False
    holding = [_layers(value) for value in given if isinstance(value, _TENSORS)]
    own = [_layers(v) for v in frame.env.names.values() if isinstance(v, (Sequence, Mapping))]
    return bool(holding and own) and max(holding) < max(own)


def _layers(value: Value) -> int:
    """How many structures hold each other in a value, as far as that is known."""
    if isinstance(value, Bundle):
        return 0 if value.single else 1
    if not isinstance(value, (Sequence, Mapping)):
        return 0
    return 1 + max(_layers(option) for each in value.held() for option in alternatives(each))
