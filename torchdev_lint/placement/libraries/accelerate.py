"""accelerate, and Fabric of Lightning: they are handed models and loaders, and bring them along."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.bringing import ACCELERATORS, GATHERING, PREPARING, USES_ACCELERATOR
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Const,
    DeviceValue,
    Instance,
    Loader,
    Place,
    Value,
)
from torchdev_lint.placement.evidence.flags import by_assumption
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.python.optimizers import handed_on
from torchdev_lint.records import replace


@handles(*PREPARING)
def _built(call: Call) -> Value:
    """It works on an accelerator where there is one, unless it may be told otherwise."""
    arguments = call.arguments
    if arguments.any_keyword or arguments.positional:
        return UNKNOWN
    if not all(_uses(call, name) for name in USES_ACCELERATOR):
        return UNKNOWN
    obj = Obj(Place.UNKNOWN, attrs={"device": DeviceValue(Place.ACCELERATOR)})
    return call.run.allocate(obj, None, call.name, site=call.node)


def _uses(call: Call, name: str) -> bool:
    """Whether what an argument says leaves the object with the accelerator."""
    value, node = call.get(-1, name), call.arguments.node(-1, name)
    if value is None:
        return True
    known = value.value if isinstance(value, Const) else None
    if known is None and isinstance(node, ast.expr):
        known = by_assumption(node)  # `cpu=args.cpu`
    return known in USES_ACCELERATOR[name]


@handles(*(f"{owner}.{method}" for owner, methods in PREPARING.items() for method in methods))
def _prepare(call: Call) -> Value | None:
    """Give back what is handed over, brought along: one thing, or several in their order."""
    arguments = call.arguments
    if arguments.open_ended or arguments.keywords or not arguments.positional:
        return None
    prepared = [_brought(call, value) for value, _ in arguments.positional]
    return prepared[0] if len(prepared) == 1 else sequence(prepared, SequenceKind.TUPLE)


@handles(*(f"{owner}.{method}" for owner in ACCELERATORS for method in GATHERING))
def _gather(call: Call) -> Value | None:
    """What several processes have, or the model itself, is where each of them has it."""
    return call.get(0)


def _brought(call: Call, value: Value) -> Value:
    if isinstance(value, Loader):
        return Loader(_batch(value.batch))
    run = call.run
    if isinstance(value, Instance) and run.obj(value).module:
        move_object(run, value, Place.ACCELERATOR)
        # With several accelerators it is wrapped in what brings its inputs along.
        run.update(value, replace(run.obj(value), moves_inputs=True))
        return value
    excuse(run, value)
    handed_on(run, value, call.node)
    let_go(run, value)
    return UNKNOWN


def _batch(batch: Value) -> Value:
    """What a loader gives that brings its batches along."""
    if isinstance(batch, Bundle) and batch.own:
        return replace(batch, place=Place.ACCELERATOR, origin=None)
    return Bundle(Place.ACCELERATOR, stays=True)
