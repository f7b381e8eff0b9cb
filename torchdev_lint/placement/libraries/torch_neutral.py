"""Operations with one tensor operand, which can't fail for a device: what they give."""

from __future__ import annotations

from collections.abc import Callable

from torchdev_lint.catalog import operations as catalog
from torchdev_lint.placement.domain.arguments import Arguments
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
from torchdev_lint.placement.libraries.torch_axes import given_of_one
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Neutral:
    """The call of such an operation.

    Args:
        name: the operation's, without the underscore of those that write in place.
        first: position of the first argument behind the tensor.
    """

    name: str
    tensor: Tensor
    arguments: Arguments
    first: int

    def evaluate(self) -> Value:
        """Return what it gives; unknown where the catalog doesn't have the operation."""
        result = _RESULTS.get(self.name)
        if result is None:
            return UNKNOWN
        return given_of_one(self.name, self.tensor, self.arguments, self.first, result(self))

    @property
    def names_dimension(self) -> bool | None:
        """Whether it is told along which dimension to go; None if that can't be told."""
        value = self.arguments.get(self.first, "dim")
        if value is None or isinstance(value, (Tensor, Bundle)):
            return False
        if "dim" in self.arguments.keywords or isinstance(value, (Const, Scalar)):
            return True
        return None

    @property
    def leaves_an_axis(self) -> bool:
        """Whether it goes along a dimension that only tensors of two and more have.

        `x.sum(1)` gives at least one, whatever the rank of `x`; `x.sum(-1)` may give none.
        """
        position = self.first if self.name in catalog.DIMENSION_FIRST else -1
        value = self.arguments.get(position, "dim") or self.arguments.get(-1, "axis")
        if not isinstance(value, Const) or type(value.value) is not int:
            return False
        return not -1 <= value.value <= 0


def _same_rank(call: Neutral) -> Value:
    return call.tensor.computed(call.tensor.scalar)


def _ranked(call: Neutral) -> Value:
    """A tensor with dimensions, but for `x.view(torch.float32)`, which has those of `x`."""
    if isinstance(call.arguments.get(call.first, "dtype"), DtypeValue):
        return _same_rank(call)
    return call.tensor.computed(scalar=False)


def _tuple(call: Neutral) -> Value:
    return Sequence(None, call.tensor.computed(scalar=None), SequenceKind.TUPLE)


def _pair(call: Neutral) -> Value:
    alike = call.tensor.scalar if call.name in catalog.ALIKE_PAIRS else None
    part = call.tensor.computed(scalar=False if call.leaves_an_axis else alike)
    return sequence([part, part], SequenceKind.TUPLE)


def _reduced(call: Neutral) -> Value:
    arguments = call.arguments
    if arguments.get(-1, "keepdim") == Const(True) or call.leaves_an_axis:
        return call.tensor.computed(scalar=False)
    nothing_named = len(arguments.positional) <= call.first and not (
        {"dim", "axis", "keepdim"} & arguments.keywords.keys()
    )
    full = nothing_named and call.name in catalog.FULL_REDUCTIONS
    return call.tensor.computed(scalar=True if full else None)


def _reduced_or_pair(call: Neutral) -> Value:
    if call.names_dimension is None:
        return choice([_pair(call), _reduced(call)])
    return _pair(call) if call.names_dimension else _reduced(call)


_RESULTS: dict[str, Callable[[Neutral], Value]] = {
    **dict.fromkeys(catalog.POINTWISE, _same_rank),
    **dict.fromkeys(catalog.SHAPED, _ranked),
    **dict.fromkeys(catalog.ITEMIZED, _tuple),
    **dict.fromkeys(catalog.PAIRS, _pair),
    **dict.fromkeys(catalog.REDUCTIONS, _reduced),
    **dict.fromkeys(catalog.PAIRS_BY_DIMENSION, _reduced_or_pair),
}
"""What operations give, by their names."""
