"""Operations with one tensor operand, which can't fail for a device: what they give."""

from __future__ import annotations

from collections.abc import Callable

from torchdev_lint.catalog import operations as catalog
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Const,
    DtypeValue,
    Scalar,
    Tensor,
    Value,
)
from torchdev_lint.placement.libraries.torch_axes import OfOne, given_of_one


def evaluate(call: OfOne) -> Value:
    """Return what an operation gives; unknown where the catalog doesn't have it."""
    result = _RESULTS.get(call.name)
    return UNKNOWN if result is None else given_of_one(call, result(call))


def _names_dimension(call: OfOne) -> bool | None:
    """Whether it is told along which dimension to go; None if that can't be told."""
    value = call.given(0, "dim")
    if value is None or isinstance(value, (Tensor, Bundle)):
        return False
    if "dim" in call.arguments.keywords or isinstance(value, (Const, Scalar)):
        return True
    return None


def _leaves_an_axis(call: OfOne) -> bool:
    """Whether it goes along a dimension that only tensors of two and more have.

    `x.sum(1)` gives at least one, whatever the rank of `x`; `x.sum(-1)` may give none.
    """
    position = call.first if call.name in catalog.DIMENSION_FIRST else -1
    value = call.arguments.get(position, "dim") or call.arguments.get(-1, "axis")
    if not isinstance(value, Const) or type(value.value) is not int:
        return False
    return not -1 <= value.value <= 0


def _same_rank(call: OfOne) -> Value:
    return call.tensor.computed(call.tensor.scalar)


def _ranked(call: OfOne) -> Value:
    """A tensor with dimensions, but for `x.view(torch.float32)`, which has those of `x`."""
    if isinstance(call.arguments.get(call.first, "dtype"), DtypeValue):
        return _same_rank(call)
    return call.tensor.computed(scalar=False)


def _tuple(call: OfOne) -> Value:
    return Sequence(None, call.tensor.computed(scalar=None), SequenceKind.TUPLE)


def _pair(call: OfOne) -> Value:
    alike = call.tensor.scalar if call.name in catalog.ALIKE_PAIRS else None
    part = call.tensor.computed(scalar=False if _leaves_an_axis(call) else alike)
    return sequence([part, part], SequenceKind.TUPLE)


def _reduced(call: OfOne) -> Value:
    arguments = call.arguments
    if arguments.get(-1, "keepdim") == Const(True) or _leaves_an_axis(call):
        return call.tensor.computed(scalar=False)
    nothing_named = len(arguments.positional) <= call.first and not (
        {"dim", "axis", "keepdim"} & arguments.keywords.keys()
    )
    full = nothing_named and call.name in catalog.FULL_REDUCTIONS
    return call.tensor.computed(scalar=True if full else None)


def _reduced_or_pair(call: OfOne) -> Value:
    if _names_dimension(call) is None:
        return choice([_pair(call), _reduced(call)])
    return _pair(call) if _names_dimension(call) else _reduced(call)


_RESULTS: dict[str, Callable[[OfOne], Value]] = {
    **dict.fromkeys(catalog.POINTWISE, _same_rank),
    **dict.fromkeys(catalog.SHAPED, _ranked),
    **dict.fromkeys(catalog.ITEMIZED, _tuple),
    **dict.fromkeys(catalog.PAIRS, _pair),
    **dict.fromkeys(catalog.REDUCTIONS, _reduced),
    **dict.fromkeys(catalog.PAIRS_BY_DIMENSION, _reduced_or_pair),
}
"""What operations give, by their names."""
