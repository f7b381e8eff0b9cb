"""What is made of samples, by functions of the user's or by PyTorch: the batches of a loader."""

from __future__ import annotations

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    MISSING,
    NUMBER_KINDS,
    OF_NUMPY,
    UNKNOWN,
    Bundle,
    Choice,
    Const,
    Function,
    Instance,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.python.functions import call_unwritten
from torchdev_lint.placement.python.object_attributes import bind_method
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def collated_by(run: Run, function: Function, dataset: Value, whole: Bundle) -> tuple[Value, bool]:
    """Return the batches that a function in sight makes, which moves nothing.

    Args:
        function: what is given a list of samples.
        dataset: what has the samples.
        whole: what is known of such a batch without looking at the function.

    Returns:
        The batches; whether all in them is made on the host, wherever the samples are.
    """
    sample = choice(_samples(run, dataset))
    made = _called(run, function, Sequence(None, sample, SequenceKind.LIST))
    options = alternatives(made)
    if not all(map(_has_known_parts, options)):
        return whole, False
    return choice([_as_batch(option) for option in options]), _is_made(made)


def collated_by_default(run: Run, dataset: Value, whole: Bundle) -> Bundle:
    """Return the batches that PyTorch makes of the samples of a data set in sight.

    Of tensors, arrays and numbers it makes tensors. Source: `collate` in
    torch/utils/data/_utils/collate.py

    Args:
        dataset: what has the samples, which it moves nowhere.
        whole: what is known of a batch without looking at the samples.
    """
    are_tensors = all(map(_gives_tensor, _samples(run, dataset)))
    return replace(whole, part=True, single=True) if are_tensors else whole


def _samples(run: Run, dataset: Value) -> list[Value]:
    """What a data set, one of several perhaps, may give for a number, as far as it is in sight."""
    return [option for each in alternatives(dataset) for option in _samples_of(run, each)]


def _samples_of(run: Run, dataset: Value) -> tuple[Value, ...]:
    info = dataset.cls if isinstance(dataset, Instance) else None
    getter = info.lookup("__getitem__") if info else None
    if not isinstance(getter, Function):
        return (UNKNOWN,)
    return alternatives(_called(run, bind_method(getter, dataset), Scalar(ScalarKind.INT)))


def _called(run: Run, function: Function, given: Value) -> Value:
    """What a function in sight gives for an argument, as a loader calls it."""
    arguments = Arguments(positional=[(given, function.node)])
    return call_unwritten(run, function, arguments, site=function.node)


def _gives_tensor(sample: Value) -> bool:
    if isinstance(sample, Tensor):
        return sample.place is Place.HOST
    is_number = isinstance(sample, Scalar) and sample.kind in NUMBER_KINDS
    return is_number or sample in OF_NUMPY


def _has_known_parts(value: Value) -> bool:
    if isinstance(value, Sequence):
        return value.items is not None
    return isinstance(value, (Tensor, Mapping))


def _is_made(value: Value) -> bool:
    """Whether a value is a tensor on the host, a number or the like, or holds nothing else."""
    if isinstance(value, Tensor):
        return value.place is Place.HOST
    if isinstance(value, (Choice, Sequence, Mapping)):
        return all(_is_made(part) or part == MISSING for part in parts_of(value))
    return isinstance(value, (Const, Scalar))


def _as_batch(value: Value) -> Value:
    """A part of a batch as a loop gets it: on the host, like what it is made of.

    What is not known may hold tensors as well. One that may have no dimensions does what a number
    does.
    """
    if isinstance(value, Tensor):
        return Bundle(Place.HOST, part=True, supposed=value.scalar is not False, single=True)
    if isinstance(value, Sequence) and value.items is not None:
        return Sequence(tuple(map(_as_batch, value.items)), _as_batch(value.element), value.kind)
    if isinstance(value, Sequence) and value.element not in (UNKNOWN, MISSING):
        return replace(value, element=_as_batch(value.element))
    if isinstance(value, Mapping):
        items = tuple((key, _as_batch(item)) for key, item in value.items)
        return Mapping(items, MISSING if value.rest == MISSING else _as_batch(value.rest))
    if isinstance(value, (Const, Scalar)):
        return value
    return Bundle(Place.HOST, part=True, own=True)
