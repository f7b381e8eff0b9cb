"""Modules of which the class and the settings are known, and that are built when they are asked."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import UNBUILT, Obj
from torchdev_lint.placement.domain.joins import join
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    LISTED,
    MISSING,
    NO_TENSORS,
    UNKNOWN,
    Const,
    DeviceValue,
    DtypeValue,
    Place,
    Scalar,
    Tensor,
    Value,
)
from torchdev_lint.placement.run import Run

_SETTINGS = (Const, DeviceValue, DtypeValue, Scalar, Tensor)
"""What stays what it is, where it is, and holds nothing."""


def unbuilt(run: Run, info: ClassInfo, arguments: Arguments, node: ast.AST) -> Value:
    """Make a module of which nothing is known but its class and settings, until that is asked for.

    What the same expression has built before with other settings is the same abstract object.
    """
    place = run.env.settings.default if Mood.DOUBT not in run.moods else Place.UNKNOWN
    given: Value = _settings(arguments)
    before = run.built_before(node, info)
    if before is not None:
        given = join(before.attrs.get(UNBUILT, UNKNOWN), given)
    return run.allocate(Obj(place, module=True, attrs={UNBUILT: given}), info, site=node)


def _settings(arguments: Arguments) -> Mapping:
    """What a call gives that is the same wherever it is read, by name or position.

    The rest is unknown.
    """
    given: list[tuple[object, Value]] = list(enumerate(value for value, _ in arguments.positional))
    given += [(name, value) for name, (value, _) in arguments.keywords.items()]
    known = tuple((key, _setting(value)) for key, value in given)
    return Mapping(known, UNKNOWN if arguments.open_ended else MISSING)


def _setting(value: Value) -> Value:
    """What is known of something whenever it is read: of a list no more than that it is one."""
    if isinstance(value, _SETTINGS) or value in NO_TENSORS:
        return value
    if not isinstance(value, Sequence):
        return UNKNOWN
    if value.kind is SequenceKind.TUPLE and value.items is not None:
        return value if all(isinstance(each, _SETTINGS) for each in value.items) else UNKNOWN
    return LISTED if value.kind is SequenceKind.LIST else UNKNOWN


def with_settings(settings: Value, node: ast.AST) -> Arguments:
    """Return the arguments of which such settings are what is known.

    Args:
        settings: what a module that is not built yet keeps of them.
        node: what stands for the expressions that gave them.
    """
    if not isinstance(settings, Mapping) or settings.rest != MISSING:
        return Arguments(open_ended=True)
    return Arguments(
        positional=[(value, node) for key, value in settings.items if isinstance(key, int)],
        keywords={key: (value, node) for key, value in settings.items if isinstance(key, str)},
    )
