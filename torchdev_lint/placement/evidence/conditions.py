"""Conditions: whether a branch is taken when an accelerator is present."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import TypeGuard

from torchdev_lint.catalog.classes import kinds_of
from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE
from torchdev_lint.catalog.ecosystem import (
    SETTINGS_OF_TORCH,
    STAYS_A_LIBRARY,
)
from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY, LEGACY
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.joins import choice, join, placeless
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Bundle,
    ClassValue,
    Const,
    DeviceValue,
    Function,
    Instance,
    Library,
    Method,
    Partial,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.flags import flag
from torchdev_lint.syntax.comparisons import COMPARISONS, MIRRORED

SAME = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
_WITHIN = (ast.In, ast.NotIn)
"""How it is asked whether two things are the same, and whether one is in the other."""

_PLACES = ACCELERATOR_LEGACY | {f"torch.{name}" for name in LEGACY} | {"torch", "torch.cuda"}
"""The types of tensors on the one place and the other, and the modules that have them."""


def truth(value: Value) -> bool | None:
    """Return whether a value is true in a condition, None where that is not known."""
    verdicts = {truth_of_one(option) for option in alternatives(value)}
    return verdicts.pop() if len(verdicts) == 1 else None


def truth_of_one(value: Value) -> bool | None:
    """Return whether a value that is no choice counts as true, or `None` if that is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if (
        isinstance(value, Sequence)
        and value.items is not None
        and value.kind is not SequenceKind.ITERATOR
    ):
        return bool(value.items)
    if isinstance(value, Sequence) and value.kind is SequenceKind.DISTRIBUTION:
        return True  # it has no length
    if isinstance(value, Library):
        return True if _is_certain(value) else None
    if isinstance(value, (Instance, DeviceValue, Function, ClassValue, Partial)):
        return True
    if isinstance(value, Mapping) and value.items:
        return True
    return None


def _is_certain(value: Library) -> bool:
    """Whether a name of a library is certainly that of a module, a class or a function.

    What else goes by one may be a setting, such as `wandb.config.fast` or `torch.version.hip`.
    """
    name = value.name
    if name.startswith(SETTINGS_OF_TORCH):
        return False
    root, _, member = name.partition(".")
    return not member or root in STAYS_A_LIBRARY or kinds_of(name) is not None


def assumed(value: Value, node: ast.expr) -> bool | None:
    """Judge by its words a condition of which nothing else is known.

    One that goes by the place of something is not judged: where that is, is not known.

    Args:
        value: what the condition gives.
        node: its expression.
    """
    return None if goes_by_place(value) else flag(node)


def goes_by_place(value: Value) -> bool:
    """Whether a value tells where something is of which that isn't known."""
    return any(option == Scalar(ScalarKind.PLACE) for option in alternatives(value))


def compare(op: ast.cmpop, left: Value, right: Value) -> Value:
    """Evaluate a comparison of values that are no tensors."""
    if right != NONE and (isinstance(left, DeviceValue) or isinstance(right, DeviceValue)):
        verdict, is_within = _same_place(left, right), isinstance(right, DeviceValue)
        asked = (*SAME, *_WITHIN) if is_within else SAME  # `"cuda" in str(device)`
        if verdict is not None and isinstance(op, asked):
            return Const(verdict is isinstance(op, (ast.Eq, ast.Is, ast.In)))
        return _compare_index(op, left, right)
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _compare_identity(isinstance(op, ast.Is), left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _compare_constants(op, left.value, right.value)
    if isinstance(op, (ast.Eq, ast.NotEq)) and _are_of_other_lengths(left, right):
        return Const(isinstance(op, ast.NotEq))
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(left, Const):
        held = _holds(left, right)
        return Scalar(ScalarKind.BOOL) if held is None else Const(held is isinstance(op, ast.In))
    return Scalar(ScalarKind.BOOL)


def _are_of_other_lengths(left: Value, right: Value) -> bool:
    """Whether a tensor's size is compared with that of one with more axes, or with less."""
    lengths = {_length_of(left), _length_of(right)}
    return isinstance(left, Size) and None not in lengths and len(lengths) == 2


def _length_of(value: Value) -> int | None:
    if isinstance(value, Size):
        return value.axes
    if not isinstance(value, Sequence) or value.kind is not SequenceKind.TUPLE:
        return None
    return None if value.items is None else len(value.items)


def _compare_index(op: ast.cmpop, left: Value, right: Value) -> Value:
    """Compare the number of a device, as `x.get_device() >= 0` does: that of the CPU is -1."""
    if isinstance(right, DeviceValue):
        op, left, right = MIRRORED.get(type(op), type(op))(), right, left
    compared = COMPARISONS.get(type(op))
    if type(op) not in MIRRORED or compared is None or not _is_number(right):
        return Scalar(ScalarKind.BOOL)
    place = device_place(left)
    if place is Place.HOST:
        return Const(compared(-1, right.value))
    if not place.is_device:
        return Scalar(ScalarKind.PLACE)
    first, last = compared(0, right.value), compared(math.inf, right.value)
    return Const(first) if first is last else Scalar(ScalarKind.BOOL)


def _is_number(value: Value) -> TypeGuard[Const]:
    return isinstance(value, Const) and isinstance(value.value, (int, float))


def _holds(key: Const, value: Value) -> bool | None:
    """Whether a dict has a key, or a list or the like an item; None where that is not known."""
    if isinstance(value, Sequence) and value.items is not None:
        if key in value.items:
            return True
        return False if all(isinstance(item, Const) for item in value.items) else None
    if not isinstance(value, Mapping):
        return None
    if value.get(key.value) is not None:
        return True
    return False if value.rest == MISSING else None


def _same_place(left: Value, right: Value) -> bool | None:
    places = [device_place(left), device_place(right)]
    if places[0] is places[1]:
        return None if places[0] is Place.UNKNOWN else True
    return False if Place.HOST in places and any(place.is_device for place in places) else None


def device_place(value: Value) -> Place:
    """Where a device value, or a string or number used as one, points."""
    if isinstance(value, DeviceValue):
        return value.place
    if isinstance(value, Const) and isinstance(value.value, str):
        kind = value.value.partition(":")[0]
        if kind == HOST_TYPE:
            return Place.HOST
        if kind in ACCELERATOR_TYPES:
            return Place.ACCELERATOR
    if (
        isinstance(value, Const)
        and isinstance(value.value, int)
        and not isinstance(value.value, bool)
    ):
        return Place.ACCELERATOR if value.value >= 0 else Place.HOST
    return Place.UNKNOWN


def _compare_identity(positive: bool, left: Value, right: Value) -> Value:
    if right == NONE:
        verdicts = {is_none(option) for option in alternatives(left)}
        if len(verdicts) == 1 and (verdict := verdicts.pop()) is not None:
            return Const(verdict is positive)
    elif isinstance(left, Const) and isinstance(right, Const):
        return Const((left.value is right.value) is positive)
    return Scalar(ScalarKind.BOOL)


def is_none(value: Value) -> bool | None:
    """Return whether a value is `None`, or `None` if that is not known."""
    is_open = isinstance(value, Method) and isinstance(value.bound, Unknown)
    if is_open or isinstance(value, Unknown):
        return None  # what is called a method of something unknown may be any attribute
    if isinstance(value, Library) and not _is_certain(value):
        return None
    return value == NONE


def _compare_constants(op: ast.cmpop, left: object, right: object) -> Value:
    compared = COMPARISONS.get(type(op))
    are_numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    if compared is None or not (are_numbers or isinstance(op, (ast.Eq, ast.NotEq))):
        return Scalar(ScalarKind.BOOL)
    try:
        return Const(compared(left, right))
    except TypeError:
        return Scalar(ScalarKind.BOOL)


def join_unplaced(first: Value, second: Value) -> Value:
    """Join what two branches give whose condition is about devices.

    Values that differ may each be right where they are used, unless they live in one place.
    """
    if first == second:
        return first
    return unplaced((*alternatives(first), *alternatives(second)))


def join_apart(first: Value, second: Value) -> Value:
    """Join what two branches give whose condition tells some things from others.

    Where one has moved what the other one has left, it is not known which it is: tensors, or
    entries of a dict.
    """
    if first == second:
        return first
    parts = [part for value in (first, second) for part in _placed(value)]
    there = {source.identity for part in parts if part.place.is_device for source in part.sources}
    left = (part for part in parts if not part.place.is_device)
    is_moved = any(source.identity in there for part in left for source in part.sources)
    return join_unplaced(first, second) if is_moved else join(first, second)


def _placed(value: Value) -> Iterator[Tensor | Bundle]:
    """Yield the tensors that a value may be, or that a dict which it may be holds."""
    for option in alternatives(value):
        for part in parts_of(option) if isinstance(option, Mapping) else (option,):
            for each in alternatives(part):
                if isinstance(each, (Tensor, Bundle)):
                    yield each


def unplaced(options: tuple[Value, ...]) -> Value:
    """One of several values, of which it is not known which: nowhere, unless all are in one place.

    Args:
        options: at least one value, none of them a joined one.
    """
    places = {o.place if isinstance(o, (Tensor, Bundle)) else Place.UNKNOWN for o in options}
    if len(places) == 1 and Place.UNKNOWN not in places:
        return choice(options)
    return choice([blur(option) for option in options])


def blur(value: Value) -> Value:
    """Forget where a tensor, or what names a place, lives; types, and what has them, do as well."""
    if isinstance(value, (Tensor, Bundle)):
        return placeless(value)
    if isinstance(value, Library) and value.name in _PLACES:
        return UNKNOWN
    if isinstance(value, (Sequence, Mapping)) or device_place(value) is not Place.UNKNOWN:
        return UNKNOWN
    return value
