"""Functions that call themselves: how far that is followed."""

from __future__ import annotations

from collections.abc import Sequence as Several

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import (
    Const,
    DeviceValue,
    DtypeValue,
    Function,
    Instance,
    Scalar,
    Tensor,
)

_NO_STRUCTURES = (Const, DeviceValue, DtypeValue, Scalar, Tensor)
"""Values that hold no others."""


def recursion(frames: Several[Frame], function: Function, arguments: Arguments) -> Frame | None:
    """Return the call in progress that the call of a function would only repeat, if there is one.

    A call for a structure that calls itself for a tensor in it is followed: it ends there.

    Args:
        frames: the calls in progress.
    """
    around = [frame for frame in frames if _is_call_of(frame, function)]
    if not around or (len(around) == 1 and _is_of_part(around[0], arguments)):
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
    """Whether a call in progress has a structure, and calls itself for a tensor.

    As in `tuple(detached(part) for part in state)`.
    """
    given = arguments.values()
    if arguments.open_ended or not any(isinstance(value, Tensor) for value in given):
        return False
    if not all(isinstance(value, _NO_STRUCTURES) for value in given):
        return False
    return any(isinstance(value, (Sequence, Mapping)) for value in frame.env.names.values())
