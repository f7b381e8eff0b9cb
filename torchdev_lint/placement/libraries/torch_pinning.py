"""What loaders that pin memory put their batches together from."""

from __future__ import annotations

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Function,
    Instance,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
)
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.placement.libraries.registry import Call
from torchdev_lint.placement.python.functions import call_function
from torchdev_lint.placement.python.object_attributes import bind_method


def given_to_pin(call: Call) -> Value:
    """What a loader pins: what its collate function gives, or else the samples of its data set.

    Args:
        call: the construction of the loader.
    """
    if call.arguments.open_ended:
        return UNKNOWN
    collate = call.get(-1, "collate_fn")
    if collate is not None and collate != NONE:
        return _given_by(call, collate, Sequence(None, UNKNOWN))
    dataset = call.get(0, "dataset")
    if isinstance(dataset, Instance) and dataset.cls is not None:
        getter = dataset.cls.lookup("__getitem__")
        if isinstance(getter, Function):
            return _given_by(call, bind_method(getter, dataset), Scalar(ScalarKind.INT))
    return dataset if isinstance(dataset, (Sequence, Tensor)) else UNKNOWN


def _given_by(call: Call, function: Value, argument: Value) -> Value:
    """What a function that may move something gives; what happens in it is no matter here."""
    if not isinstance(function, Function) or function.file is not call.run.main:
        return UNKNOWN
    keeps = function.bound if isinstance(function.bound, Instance) else None
    owner = None if keeps is None else keeps.cls
    code = [function.node] if owner is None else [info.node for info in owner.lineage()]
    if not any(map(mentions_devices, code)):
        return UNKNOWN
    arguments = Arguments([(argument, call.node)])
    with call.run.moods.within(Mood.EXPECTED):
        return call_function(call.run, function, arguments, site=call.node)
