"""NumPy, and what is built on it: functions that make arrays of what they are given."""

from __future__ import annotations

from torchdev_lint.catalog.arrays import (
    ARRAYS_OF_LISTS,
    ARRAYS_OF_TENSORS,
    NEW_ARRAYS,
    OF_ONE_NUMBER,
)
from torchdev_lint.placement.defects.conversions import note_arguments
from torchdev_lint.placement.defects.copies import note_early_read
from torchdev_lint.placement.domain.values import NO_TENSOR, Const, Scalar, ScalarKind, Value
from torchdev_lint.placement.libraries.registry import Call, handles

_NUMBERS = frozenset({ScalarKind.INT, ScalarKind.FLOAT, ScalarKind.BOOL})


@handles(*(ARRAYS_OF_TENSORS | ARRAYS_OF_LISTS | NEW_ARRAYS | OF_ONE_NUMBER))
def _converting(call: Call) -> Value | None:
    """What becomes an array, or a part of one, has to be on the CPU; what is made is no tensor."""
    if call.name in ARRAYS_OF_TENSORS:
        for operand in call.arguments.operands():
            note_early_read(call.run, call.node, operand.value, shares=True)
    note_arguments(
        call.run,
        call.node,
        call.arguments.operands(),
        of_tensors=call.name in ARRAYS_OF_TENSORS,
        of_lists=call.name in ARRAYS_OF_LISTS,
    )
    if (number := _one_number(call)) is not None:
        return number
    return NO_TENSOR if call.name in NEW_ARRAYS else None


def _one_number(call: Call) -> Value | None:
    """The number that an array without dimensions is made of: it does what the number does."""
    if call.name not in OF_ONE_NUMBER or "ndmin" in call.arguments.keywords:
        return None
    made_of = call.get(0)
    kind = made_of.kind if isinstance(made_of, Scalar) else None
    is_known = isinstance(made_of, Const) and isinstance(made_of.value, int | float)
    return made_of if is_known or kind in _NUMBERS else None
