"""NumPy, and what is built on it: functions that make arrays of what they are given."""

from __future__ import annotations

from torchdev_lint.catalog.arrays import ARRAYS_OF_LISTS, ARRAYS_OF_TENSORS, NEW_ARRAYS
from torchdev_lint.placement.defects.conversions import note_arguments
from torchdev_lint.placement.defects.copies import note_early_read
from torchdev_lint.placement.domain.values import NO_TENSOR, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*(ARRAYS_OF_TENSORS | ARRAYS_OF_LISTS | NEW_ARRAYS))
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
    return NO_TENSOR if call.name in NEW_ARRAYS else None
