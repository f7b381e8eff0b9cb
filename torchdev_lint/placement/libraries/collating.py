"""What functions of the user's make of samples: the batches of a loader."""

from __future__ import annotations

from contextlib import nullcontext

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    MISSING,
    UNKNOWN,
    Bundle,
    Choice,
    Const,
    Function,
    Place,
    Scalar,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.python.functions import call_function
from torchdev_lint.placement.run import Run


def collated_by(run: Run, function: Function, whole: Bundle) -> tuple[Value, bool]:
    """Return the batches that a function in sight makes, which moves nothing.

    Args:
        function: what is given a list of samples.
        whole: what is known of such a batch without looking at the function.

    Returns:
        The batches; whether all in them is made on the host, wherever the samples are.
    """
    samples = Sequence(None, UNKNOWN, SequenceKind.LIST)
    given = Arguments(positional=[(samples, function.node)])
    is_here = function.file is run.main
    with nullcontext() if is_here else run.budget.abroad_in(function.node):
        made = call_function(run, function, given, site=function.node)
    options = alternatives(made)
    if not all(map(_has_known_parts, options)):
        return whole, False
    return choice([_as_batch(option) for option in options]), _is_made(made)


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
        return Bundle(Place.HOST, part=True, supposed=value.scalar is not False)
    if isinstance(value, Sequence) and value.items is not None:
        return Sequence(tuple(map(_as_batch, value.items)), _as_batch(value.element), value.kind)
    if isinstance(value, Mapping):
        items = tuple((key, _as_batch(item)) for key, item in value.items)
        return Mapping(items, MISSING if value.rest == MISSING else _as_batch(value.rest))
    if isinstance(value, (Const, Scalar)):
        return value
    return Bundle(Place.HOST, part=True, own=True)
