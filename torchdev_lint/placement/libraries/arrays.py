"""NumPy, and what is built on it: functions that make arrays of what they are given."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import (
    ARRAYS_OF_LISTS,
    ARRAYS_OF_TENSORS,
    ESTIMATING,
    ESTIMATOR,
    ESTIMATOR_PACKAGES,
    FITTING,
    LIMITS_OF_COLOURS,
    NEW_ARRAYS,
    NO_ESTIMATORS,
    OF_A_SHAPE,
    OF_A_SIZE,
    OF_ANY_AXES,
    OF_ONE_NUMBER,
    OF_SIZES,
    OF_THE_SAME_AXES,
    READERS,
    SAME_AXES,
    TABLE_READERS,
    TO_ONE_NUMBER,
    WITH_AXES,
    WRITE_ARRAYS,
)
from torchdev_lint.placement.defects.conversions import note_arguments
from torchdev_lint.placement.defects.copies import note_early_read
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import (
    ARRAY,
    NO_TENSOR,
    NUMBER_KINDS,
    NUMERIC,
    Const,
    Library,
    Scalar,
    ScalarKind,
    Value,
)
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.python.operators import is_with_array
from torchdev_lint.syntax.calls import is_type_of_objects

_WITH_AXES = WITH_AXES | OF_A_SHAPE | OF_SIZES | OF_A_SIZE.keys() | OF_THE_SAME_AXES | OF_ANY_AXES
_OF_LISTS = frozenset({"numpy.array", "numpy.asanyarray", "numpy.asarray"})


@handles(*(ARRAYS_OF_TENSORS | ARRAYS_OF_LISTS | NEW_ARRAYS | OF_ONE_NUMBER | _WITH_AXES))
def _converting(call: Call) -> Value | None:
    """What becomes an array, or a part of one, has to be on the CPU; what is made is no tensor."""
    if call.name in ARRAYS_OF_TENSORS:
        for operand in call.arguments.operands():
            note_early_read(call.run, call.node, operand.value, shares=True)
    operands = call.arguments.operands(without=LIMITS_OF_COLOURS)
    note_arguments(
        call.run,
        call.node,
        operands[1:] if call.name in WRITE_ARRAYS else operands,
        of_tensors=call.name in ARRAYS_OF_TENSORS,
        of_lists=call.name in ARRAYS_OF_LISTS,
    )
    if (number := _one_number(call)) is not None:
        return number
    if _holds_anything(call):
        return NO_TENSOR if call.name in NEW_ARRAYS else None
    if call.name == "numpy.meshgrid":
        return _grid(call.arguments)
    if call.name in FITTING:
        return Library(ESTIMATOR)
    if _has_axes(call):
        return ARRAY
    return NUMERIC if call.name in NEW_ARRAYS else None


@handles_members(*ESTIMATOR_PACKAGES)
def _estimator(call: Call) -> Value | None:
    """An estimator of scikit-learn, which makes arrays of what it is given."""
    is_class = call.last[:1].isupper() and call.name not in NO_ESTIMATORS
    return Library(ESTIMATOR) if is_class else None


@handles(*READERS)
def _read(call: Call) -> Value | None:
    """What is read of a file is no tensor, unless that may be any object.

    Source: `allow_pickle` of https://numpy.org/doc/stable/reference/generated/numpy.load.html
    """
    may_unpickle = call.get(2, "allow_pickle") or Const(False)
    return NUMERIC if may_unpickle == Const(False) and not call.arguments.open_ended else None


@handles(*TABLE_READERS)
def _read_table(_call: Call) -> Value:
    return NUMERIC


def _holds_anything(call: Call) -> bool:
    """Whether an array is made for objects: `np.empty(3, dtype=object)`."""
    given = call.arguments.node(-1, "dtype")
    return given is not None and is_type_of_objects(given)


def _has_axes(call: Call) -> bool:
    """Whether a function gives an array that certainly has an axis."""
    name, first = call.name, call.get(0)
    if name in WITH_AXES or name in ESTIMATING:
        return True
    if name in OF_A_SHAPE:
        return first is not None and _shape_has_axes(first)
    if name in OF_SIZES:
        return first is not None
    if name in OF_A_SIZE:
        size = call.get(OF_A_SIZE[name], "size")
        return size is not None and _shape_has_axes(size)
    if name == "numpy.reshape":
        shape = call.get(1)
        return first == ARRAY and shape is not None and _shape_has_axes(shape)
    if name in OF_ANY_AXES:
        return is_with_array(first, call.get(1))
    is_list = isinstance(first, Sequence) and name in _OF_LISTS
    return name in OF_THE_SAME_AXES and (first == ARRAY or is_list)


def _shape_has_axes(shape: Value) -> bool:
    """Whether a shape is a number, or certainly some."""
    if isinstance(shape, Sequence):
        return bool(shape.items or shape.together)
    if isinstance(shape, Const):
        return isinstance(shape.value, int)
    return isinstance(shape, Scalar) and shape.kind is ScalarKind.INT


def of_array(name: str, arguments: Arguments) -> Value | None:
    """Return what a method gives of an array that has an axis, None where that is not known."""
    if name in SAME_AXES:
        return ARRAY
    if name == "reshape" and arguments.positional:
        shape = arguments.positional[0][0]
        several = len(arguments.positional) > 1
        return ARRAY if several or _shape_has_axes(shape) else None
    return None


def _grid(arguments: Arguments) -> Value:
    """What gives as many arrays as it is given."""
    arrays: list[Value] = [ARRAY for _ in arguments.positional]
    starred = any(isinstance(node, ast.Starred) for _, node in arguments.positional)
    return Sequence(None, ARRAY, SequenceKind.LIST) if starred else sequence(arrays)


def _one_number(call: Call) -> Value | None:
    """The number that an array without dimensions is made of: it does what the number does."""
    if call.name in TO_ONE_NUMBER and len(call.arguments.operands()) == 1:
        return Scalar(ScalarKind.FLOAT) if isinstance(call.get(0), Sequence) else None
    if call.name not in OF_ONE_NUMBER or "ndmin" in call.arguments.keywords:
        return None
    made_of = call.get(0)
    kind = made_of.kind if isinstance(made_of, Scalar) else None
    if kind is ScalarKind.QUOTIENT:
        return Scalar(ScalarKind.FLOAT)  # if it isn't made whole
    is_known = isinstance(made_of, Const) and isinstance(made_of.value, int | float)
    return made_of if is_known or kind in NUMBER_KINDS else None
