"""What functions are given that they move themselves, or use as a number."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.isomorphism import parts_of, with_tensors
from torchdev_lint.placement.domain.joins import placeless
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Function,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.run import Run


def as_taken(run: Run, function: Function, name: str, value: Value) -> Value:
    """Return what an argument is in a function that brings it there itself, or has it on the host.

    A part of a structure that it uses as a size is a number.

    Args:
        name: the parameter.
        value: what its caller gives, who may have been given that as well.
    """
    if isinstance(value, Bundle) and value.part and value.place is Place.HOST:
        owner = None if function.owner is None else function.owner.node
        if context_of(function.file).is_size(name, function.node, owner):
            return Scalar(ScalarKind.INT)
    if not any(part.place is Place.GIVEN for part in _tensors_in(value)):
        return value
    file = run.file if function.file is run.frame.file else context_of(function.file)
    is_off = file.is_off_accelerator(function.node, name)
    return with_tensors(value, _displaced) if is_off else value


def _tensors_in(value: Value) -> Iterator[Tensor | Bundle]:
    if isinstance(value, (Tensor, Bundle)):
        yield value
    elif isinstance(value, (Sequence, Mapping, Choice)):
        for part in parts_of(value):
            yield from _tensors_in(part)


def _displaced(value: Tensor | Bundle) -> Value:
    return placeless(value) if value.place is Place.GIVEN else value
