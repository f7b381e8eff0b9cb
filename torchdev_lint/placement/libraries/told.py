"""Functions of which the user tells what they do with what they are given."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.joins import moved
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Instance,
    Loader,
    Place,
    Tensor,
    Unknown,
    Value,
)
from torchdev_lint.placement.facts.events import PartMoved
from torchdev_lint.placement.libraries.registry import Call, handles_told
from torchdev_lint.placement.python.containers import rebind
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.run import Run


@handles_told("moves")
def _moves(call: Call) -> Value:
    """What the first argument is, on the accelerator; of what isn't known, tensors."""
    given = call.get(0)
    return Bundle(Place.ACCELERATOR) if given is None else on_accelerator(call.run, given)


@handles_told("moves_in_place")
def _moves_in_place(call: Call) -> Value | None:
    """The arguments are on the accelerator from then on; often the first one is the result."""
    given = []
    for value, node in call.arguments.positional:
        given.append(on_accelerator(call.run, value))
        # No tensor is moved in place, and an object has been.
        if isinstance(node, ast.expr) and not isinstance(value, (Instance, Tensor)):
            rebind(call.run, node, given[-1])
    return given[0] if given else None


@handles_told("loaders")
def _loaders(call: Call) -> Value:
    """The user says that its batches are on the CPU, whatever data set is out of sight."""
    return Loader(Bundle(Place.HOST, own=True))


def on_accelerator(run: Run, value: Value) -> Value:
    """Return a value with all in it that was moved."""
    if isinstance(value, Instance):
        move_object(run, value, Place.ACCELERATOR)
        return value
    if isinstance(value, (Choice, Mapping, Sequence)):
        return rebuilt(value, [on_accelerator(run, part) for part in parts_of(value)])
    if isinstance(value, Unknown):
        return Bundle(Place.ACCELERATOR)
    if isinstance(value, (Tensor, Bundle)):
        if value.origin is not None and value.origin.kind is OriginKind.BATCH:
            run.note(PartMoved(value.origin))
        return moved(value, Place.ACCELERATOR)
    return value
