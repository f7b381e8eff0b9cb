"""Python's `collections`, and `typing` where it does the same."""

from __future__ import annotations

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    ClassValue,
    Const,
    Scalar,
    ScalarKind,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.types import is_named
from torchdev_lint.placement.libraries.registry import Call, handles

_OF_NAMED_TUPLES = frozenset({"_asdict", "_field_defaults", "_fields", "_make", "_replace"})
"""What named tuples have, and hardly anything else.

Source: https://docs.python.org/3/library/collections.html#collections.namedtuple"""


@handles("collections.namedtuple", "typing.NamedTuple")
def _named_tuple(call: Call) -> Value | None:
    """A class of named tuples, whose objects have what they are given under its names."""
    made = call.run.file.class_of_fields(call.node)
    if made is None:
        return None
    frame = call.run.frame
    around = frame.visible_from_inside()
    bases = ["typing.NamedTuple"]
    return ClassValue(ClassInfo(made.name, made, frame.file, around, libraries=bases))


@handles("builtins.hasattr")
def _hasattr(call: Call) -> Value:
    """Named tuples are told from others by what only they have."""
    name, options = call.get(1), alternatives(call.get(0) or UNKNOWN)
    if isinstance(name, Const) and name.value in _OF_NAMED_TUPLES and all(map(is_named, options)):
        return Const(True)
    return Scalar(ScalarKind.BOOL)
