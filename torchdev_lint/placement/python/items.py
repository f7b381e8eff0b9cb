"""What subscripts give: items of tensors, structures of them, lists and dicts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

from torchdev_lint.catalog.builtins import TYPE_FORMS
from torchdev_lint.placement.defects.meetings import (
    element_nodes,
    find_meeting,
    is_tensor_like,
    leave_index_to_users,
)
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence, with_axes
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ARRAY,
    ITEM,
    MISSING,
    NO_TENSOR,
    NONE,
    NUMERIC,
    PART,
    UNKNOWN,
    Bundle,
    Choice,
    Const,
    Instance,
    Library,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    TypeForm,
    Value,
    alternatives,
)
from torchdev_lint.placement.python import module_containers
from torchdev_lint.placement.python.fields import as_tuple
from torchdev_lint.placement.python.holding import read_here
from torchdev_lint.placement.python.indices import axes_of_item, has_tensor
from torchdev_lint.placement.python.iteration import (
    at_a_position,
    numbered_part,
    one_of_library,
    part_of,
)
from torchdev_lint.placement.python.namespaces import one_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short


def item_of(run: Run, base: Value, index: Value, node: ast.Subscript) -> Value:
    """Evaluate a subscript: of `None`, or by a key that a dict doesn't have, it fails there."""
    options = [option for option in alternatives(base) if option != NONE] or [base]
    if isinstance(index, Const) and isinstance(index.value, str):
        # no tensor has entries by name: so it is another one of those that it may be
        options = [option for option in options if not isinstance(option, Tensor)] or options
    value = choice([_ITEMS.get(type(o), _unknown_item)(run, o, index, node) for o in options])
    if not isinstance(value, Choice):
        return value
    return choice([option for option in value.options if option != MISSING])


def _unknown_item(run: Run, base: Value, index: Value, node: ast.Subscript) -> Value:
    """An item of something that may be a tensor: slices of several axes speak for one."""
    if base in (ARGUMENT, ITEM):
        return ITEM
    if base == PART:
        return base
    if base == ARRAY:
        return ARRAY if index_keeps_axis(index, node.slice) else NUMERIC
    if base == NUMERIC:
        return ARRAY if isinstance(node.slice, ast.Slice) else NUMERIC  # one number has no slices
    if base == NO_TENSOR:
        return UNKNOWN  # what has several axes then is an array, or an object of some class
    if isinstance(node.slice, ast.Tuple) and index_keeps_axis(index, node.slice):
        if not run.has_other_members(node.value):
            return Tensor(Place.UNKNOWN, scalar=False)
    return UNKNOWN


def _library_item(run: Run, base: Library, index: Value, node: ast.Subscript) -> Value:
    """A type that is made of others, if it is Python's own library that is asked for one."""
    if base.name.startswith(TYPE_FORMS):
        return TypeForm(node)
    one = one_of_library(base)
    return _unknown_item(run, base, index, node) if one == UNKNOWN else one


def _bundle_item(run: Run, base: Bundle, index: Value, node: ast.Subscript) -> Value:
    if not (base.own or base.supposed) and (base.place is Place.HOST or not run.supposing):
        meet_index(run, "indexing", node, base, index)
    if is_tensor_like(index) or isinstance(node.slice, ast.Slice):
        return base
    if isinstance(index, Sequence) and not _picks_one(node.slice):
        return base
    key = index.value if isinstance(index, Const) else (short(node.slice),)
    return part_of(base, key, node)


def _picks_one(node: ast.expr) -> bool:
    """Whether several indices pick along one axis each, so that there may be none left."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return not any(
        isinstance(part, (ast.Slice, ast.Starred))
        or (isinstance(part, ast.Constant) and not isinstance(part.value, int))
        for part in parts
    )


def _size_item(run: Run, base: Size, index: Value, node: ast.Subscript) -> Value:
    return Size(None) if isinstance(node.slice, ast.Slice) else Scalar(ScalarKind.INT)


def _mapping_item(run: Run, base: Mapping, index: Value, node: ast.Subscript) -> Value:
    if isinstance(index, Const):
        found = base.get(index.value)
        return base.rest if found is None else found
    return one_of([*(value for _, value in base.items), base.rest])


def _sample_at(run: Run, value: Value, node: ast.Subscript) -> Value:
    """Give what is picked from a data set its origin: the subscript."""
    if isinstance(value, Sequence) and value.items is not None:
        items = [_sample_at(run, item, node) for item in value.items]
        return sequence(
            [numbered_part(UNKNOWN, item, i) for i, item in enumerate(items)], value.kind
        )
    if isinstance(value, Bundle) and value.origin is None and Mood.DOUBT not in run.moods:
        origin = run.made(node, OriginKind.LOADED, short(node.value))
        return replace(value, origin=origin)
    return value


def _tensor_item(run: Run, base: Tensor, index: Value, node: ast.Subscript) -> Value:
    if base.place is Place.HOST or not run.supposing:
        meet_index(run, "indexing", node, base, index)
    if base.scalar is not False and _was_a_number(index, node):
        return UNKNOWN
    keeps_axis = index_keeps_axis(index, node.slice)
    item = replace(base, scalar=False if keeps_axis else None, registered=False, axes=None)
    return with_axes(item, axes_of_item(base, index, node.slice))


def _was_a_number(index: Value, node: ast.Subscript) -> bool:
    """Whether something is `loss.data[0]`, by which code older than PyTorch 0.4 gets a number."""
    of_data = isinstance(node.value, ast.Attribute) and node.value.attr == "data"
    return of_data and isinstance(index, Const) and isinstance(index.value, int)


def meet_index(
    run: Run, name: str, node: ast.Subscript, base: Tensor | Bundle, index: Value
) -> None:
    """A host tensor can't be indexed by an accelerator tensor; a 0-dim one is read as a number.

    It is the tensor that is to blame, not an index on the host beside the other one. A structure
    hands such an index on to the tensors in it, if it takes one.
    Source: `python_variable_indexing.cpp`, which calls `item()` on 0-dim integers.
    """
    parts = index.items if isinstance(index, Sequence) and index.items else (index,)
    vectors = [
        Operand(part, at)
        for part, at in zip(parts, element_nodes(node.slice, len(parts)), strict=True)
        if _is_vector(part) and part.place is not Place.HOST
    ]
    if base.place is Place.NAMED:
        return  # an index that is not there may be on the host
    operands = [Operand(base, node.value), *vectors]
    find_meeting(run, name, node, operands, Policy.STRICT)
    for part in parts:
        leave_index_to_users(run, base, part)


def _is_vector(index: Value) -> TypeGuard[Tensor | Bundle]:
    """Whether an index is a tensor for certain that has a dimension, where it is said to be.

    What else a model out of sight gives beside its result may have been counted on the CPU.
    """
    if isinstance(index, Bundle):
        return not index.picked and (index.stays or not index.part)
    return isinstance(index, Tensor) and (index.scalar is False or index.mask)


def index_keeps_axis(index: Value, node: ast.expr) -> bool:
    """Whether the result of an index certainly has a dimension; a list of numbers leaves one."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    if any(isinstance(part, ast.Slice) for part in parts):
        return True
    if any(isinstance(part, ast.Constant) and part.value is None for part in parts):
        return True
    return index == ARRAY or has_tensor(index)


_LAST = Const(-1)
"""The index under which a list that grows gives each of its elements in turn."""


def _sequence_item(run: Run, base: Sequence, index: Value, node: ast.Subscript) -> Value:
    item = base.element
    if isinstance(node.slice, ast.Slice):
        item = _slice_of(base)
    elif base.items is not None and isinstance(index, Const) and isinstance(index.value, int):
        item = base.at(index) or UNKNOWN
    elif index != _LAST:
        item = at_a_position(item)
    return _sample_at(run, item, node) if base.kind is SequenceKind.DATASET else item


def _instance_item(run: Run, base: Instance, index: Value, node: ast.Subscript) -> Value:
    if (fields := as_tuple(run, base)) is not None:
        return read_here(run, _sequence_item(run, fields, index, node), node)
    return module_containers.item(run, base, index, node)


def _slice_of(base: Sequence) -> Value:
    """Some of the elements; a data set of tensors hands the slice on to each of these instead.

    Source: `TensorDataset.__getitem__` in `torch/utils/data/dataset.py`.
    """
    element = base.element
    is_dataset = base.kind is SequenceKind.DATASET
    if is_dataset and isinstance(element, Sequence) and element.kind is SequenceKind.TUPLE:
        return element
    return Sequence(None, element, base.kind)


_ITEMS: dict[type, Callable[[Run, Any, Value, ast.Subscript], Value]] = {
    Tensor: _tensor_item,
    Bundle: _bundle_item,
    Sequence: _sequence_item,
    Mapping: _mapping_item,
    Size: _size_item,
    Instance: _instance_item,
    Library: _library_item,
}
"""Who picks an item of values of which something is known, by their types."""
