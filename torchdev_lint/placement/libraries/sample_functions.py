"""Functions that data sets and loaders apply to samples: whether these may put them on a device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import Function, Instance, Value, alternatives
from torchdev_lint.placement.domain.weight import Holder
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.placement.python.code_behind import code_behind
from torchdev_lint.placement.run import Run

MOVING_TRANSFORM = "torchvision.transforms.Lambda"
"""The library's name of a transform, or a chain of them, that calls a function that may move."""

_DEEPEST = 3


def may_move(run: Run, value: Value) -> bool:
    """Whether something that is called with samples, or holds what is, may move them."""
    return any(_moves(run, part) for part in _parts(value))


def _parts(value: Value, depth: int = _DEEPEST) -> Iterator[Value]:
    for option in alternatives(value):
        if isinstance(option, Holder) and depth:
            for held in option.held():
                yield from _parts(held, depth - 1)
        else:
            yield option


def _moves(run: Run, value: Value) -> bool:
    if isinstance(value, Function):
        return brings(run, value.node, value.closure)
    if not isinstance(value, Instance) or run.obj(value).module:
        return False
    lineage = value.cls.lineage() if value.cls else ()
    return value.library == MOVING_TRANSFORM or any(
        brings(run, info.node, info.closure) for info in lineage
    )


def brings(run: Run, scope: ast.AST, closure: tuple[Frame, ...]) -> bool:
    """Whether code may put something on a device: by itself, or by what it reads from around it.

    Args:
        scope: a function or class.
        closure: the frames around it.
    """
    behind = code_behind(run, scope, closure)
    return any(map(mentions_devices, behind.code)) or not behind.libraries.isdisjoint(
        ACCELERATOR_LEGACY
    )
