"""What iteration, unpacking and subscripts give."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

from torchdev_lint.catalog.arrays import AXES, FIGURE
from torchdev_lint.catalog.builtins import TYPE_FORMS
from torchdev_lint.catalog.ecosystem import ENCODED
from torchdev_lint.catalog.methods import STRUCTURE_COUNTS
from torchdev_lint.placement.defects.meetings import element_nodes, find_meeting, is_tensor_like
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence, with_axes
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
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
    Loader,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    TypeForm,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.conditions import unplaced
from torchdev_lint.placement.python import module_containers
from torchdev_lint.placement.python.indices import axes_of_item, has_tensor
from torchdev_lint.placement.python.namespaces import one_of
from torchdev_lint.placement.python.own_iterators import coming_from, own_iterator, own_next
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of, short

MAX_PARTS = 8
"""How deep parts of a structure are followed."""
_SEVERAL = (AXES, FIGURE)
"""What may be an array of its kind as well."""


def element_of(run: Run, value: Value, node: ast.AST) -> Value:
    """Return what iterating over a value yields.

    Args:
        node: the target that receives it, or the expression that asks for it: where a
            loader's batch comes from.
    """
    if isinstance(value, Choice):
        return choice([element_of(run, option, node) for option in value.options])
    if isinstance(value, Unknown):
        return NUMERIC if value == ARRAY else value  # one of a row of numbers is a number
    if isinstance(value, Sequence):
        return _sequence_element(run, value, node)
    if isinstance(value, Loader):
        return _batch_at(run, value.batch, node)
    if isinstance(value, Tensor):
        axes = None if value.axes is None else value.axes - 1
        return with_axes(replace(value, scalar=None, registered=False, axes=None), axes)
    if isinstance(value, Bundle):
        return part_of(value, "*", node)
    if isinstance(value, Mapping):
        return (
            choice([Const(key) for key, _ in value.items])
            if value.items
            else Scalar(ScalarKind.STR)
        )
    if isinstance(value, Size):
        return Scalar(ScalarKind.INT)
    if isinstance(value, Instance):
        return _instance_element(run, value, node)
    return _one_of_library(value) if isinstance(value, Library) else UNKNOWN


def loader_out_of_sight(run: Run, batch: Value) -> Loader:
    """Return a loader over a data set out of sight: it may give samples that it has moved.

    What the file moves in some loop was not there before, and what it takes in others is alike,
    unless they are in different classes.
    """
    return Loader(batch if run.what_is_fed().is_moved_from(run.frame.scope) else UNKNOWN)


def _sequence_element(run: Run, value: Sequence, node: ast.AST) -> Value:
    fresh = _batch_at(run, value, node)
    assert isinstance(fresh, Sequence)
    if fresh.items:
        return choice(list(fresh.items))
    return _batch_at(run, value.element, node)


def _instance_element(run: Run, value: Instance, node: ast.AST) -> Value:
    iterator = own_iterator(run, value, node)
    if isinstance(iterator, Instance):
        given = own_next(run, iterator, node)
        return UNKNOWN if given is None else given
    if iterator is not None:
        return coming_from(run, value, element_of(run, iterator, node), node)
    is_dict = value.library.endswith("Dict")
    return Scalar(ScalarKind.STR) if is_dict else module_containers.element(run.obj(value))


def _batch_at(run: Run, value: Value, node: ast.AST) -> Value:
    """Give a batch fresh from a loader its origin: the place that asks for it.

    What code has brought to the CPU is no such batch, though it may be gone through in a loop.
    """
    if isinstance(value, Choice):
        return choice([_batch_at(run, option, node) for option in value.options])
    if isinstance(value, (Sequence, Mapping)):
        return _container_at(run, value, node)
    is_brought = isinstance(value, Bundle) and value.stays
    if is_brought:
        return value
    if isinstance(value, Bundle) and value.origin is None and value.place is Place.HOST:
        if Mood.DOUBT in run.moods:
            return replace(value, place=Place.UNKNOWN)
        origin = _origin_at(run, value, node)
        return replace(value, origin=origin, loaded=not value.own)
    return value


def _container_at(run: Run, value: Sequence | Mapping, node: ast.AST) -> Value:
    """Give what a list or dict holds that is fresh from a loader its origin.

    It is the same one if nothing in it is, which whoever holds it as well may change.
    """
    if isinstance(value, Mapping):
        pairs = tuple(
            (key, _numbered(item, _batch_at(run, item, node), key)) for key, item in value.items
        )
        fresh: Sequence | Mapping = replace(
            value, items=pairs, rest=_batch_at(run, value.rest, node)
        )
    elif value.items is None:
        if value.kind is SequenceKind.DATASET:
            return value
        fresh = replace(value, element=_batch_at(run, value.element, node))
    else:
        nodes = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
        if len(nodes) != len(value.items):
            nodes = []
        items = tuple(
            _numbered(item, _batch_at(run, item, nodes[i] if nodes else node), None if nodes else i)
            for i, item in enumerate(value.items)
        )
        fresh = replace(value, items=items)
    return value if fresh == value else fresh


def _origin_at(run: Run, batch: Bundle, node: ast.AST) -> Origin:
    """The origin of a batch: of one of another file's loop, the loader that was handed there."""
    label = short(node) if isinstance(node, (ast.Name, ast.Attribute)) else "the batch"
    origin, entered = run.made(node, OriginKind.BATCH, label), batch.entered
    if entered is None or not run.is_elsewhere:
        return origin
    return replace(
        origin,
        node=entered.argument,
        file=run.main,
        scope=entered.scope,
        elsewhere=run.site(run.frame.file, node),
    )


def _numbered(before: Value, value: Value, index: object) -> Value:
    """Tell the fresh parts of a batch apart that one target receives together.

    Args:
        index: which part it is: its position or its name.
    """
    if index is None or value is before or not isinstance(value, Bundle) or value.origin is None:
        return value
    return replace(value, origin=replace(value.origin, key=(value.origin.key, index)))


def part_of(bundle: Bundle, key: object, node: ast.AST) -> Value:
    """Return one part of a structure of tensors: an element, an item or an attribute."""
    if key in STRUCTURE_COUNTS:
        return Scalar(ScalarKind.INT)
    origin = bundle.origin
    if bundle.mixed or (origin is not None and origin.depth == MAX_PARTS):
        return Bundle(Place.UNKNOWN, part=True)
    if origin is not None:
        is_named = isinstance(node, ast.expr) and origin.kind is not OriginKind.NUMBERED
        label = short(node) if is_named else origin.label  # that of a number says where it is
        origin = replace(origin, key=(origin.key, key), whole=origin, label=label)
    if origin is not None and origin.kind is OriginKind.ENCODING and key in ENCODED:
        return Tensor(bundle.place, False, origin, entered=bundle.entered)
    by_name = isinstance(key, str) and key != "*"
    picked = bundle.picked or ((bundle.part or bundle.stays) and not by_name)
    single = bundle.single and not by_name
    return replace(bundle, origin=origin, part=True, in_place=None, picked=picked, single=single)


def unpack(run: Run, value: Value, targets: list[ast.expr]) -> list[Value]:
    """Return what each target of a tuple assignment receives."""
    count = len(targets)
    if isinstance(value, Choice):
        fitting = any(isinstance(o, Sequence) and _fits(o, count) for o in value.options)
        options = [o for o in value.options if not fitting or _may_fit(o, count)]
        rows = [unpack(run, option, targets) for option in options]
        return [choice([row[i] for row in rows]) for i in range(count)]
    if isinstance(value, Sequence):
        return _unpack_sequence(run, value, targets)
    if isinstance(value, Bundle):
        return [part_of(value, i, target) for i, target in enumerate(targets)]
    if isinstance(value, Instance):
        parts = module_containers.contained(run.obj(value))
        if parts is not None and len(parts) == count:
            return list(parts)
    if isinstance(value, Loader):
        return [UNKNOWN] * count  # it raises, unless there happen to be as many batches
    return [element_of(run, value, target) for target in targets]


def _may_fit(value: Value, count: int) -> bool:
    return isinstance(value, Unknown) or (isinstance(value, Sequence) and _fits(value, count))


def _fits(value: Sequence, count: int) -> bool:
    return value.items is not None and len(value.items) == count


def _unpack_sequence(run: Run, value: Sequence, targets: list[ast.expr]) -> list[Value]:
    count = len(targets)
    starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    items = value.items
    if items is None:
        if value.kind is SequenceKind.DATASET and not starred:
            return [UNKNOWN] * count  # it raises as well
        parts = [element_of(run, value, target) for target in targets]
        return parts if starred else list(map(_at_a_position, parts))
    if not starred:
        if len(items) == count:
            return list(items)
        return [UNKNOWN] * count
    at, after = starred[0], count - starred[0] - 1
    if len(items) < count - 1:
        return [UNKNOWN] * count
    middle = items[at : len(items) - after]
    rest = Sequence(middle, choice(list(middle)) if middle else UNKNOWN)
    return [*items[:at], rest, *items[len(items) - after :]]


def _at_a_position(element: Value) -> Value:
    """What stands at a position of a list of which only its elements are known, not their order."""
    return unplaced(element.options) if isinstance(element, Choice) else element


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
        uses = run.uses_of(path_of(node.value) or "")
        if uses is None or not uses.has_other_members():
            return Tensor(Place.UNKNOWN, scalar=False)
    return UNKNOWN


def _library_item(run: Run, base: Library, index: Value, node: ast.Subscript) -> Value:
    """A type that is made of others, if it is Python's own library that is asked for one."""
    if base.name.startswith(TYPE_FORMS):
        return TypeForm(node)
    one = _one_of_library(base)
    return _unknown_item(run, base, index, node) if one == UNKNOWN else one


def _one_of_library(base: Library) -> Value:
    """One of the figures or axes of an array, which is as good as any: `axs[0, 1]`, `axs.flat`."""
    return next((Library(name) for name in _SEVERAL if base.name.startswith(name)), UNKNOWN)


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
        return sequence([_numbered(UNKNOWN, item, i) for i, item in enumerate(items)], value.kind)
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
        item = _at_a_position(item)
    return _sample_at(run, item, node) if base.kind is SequenceKind.DATASET else item


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
    Instance: module_containers.item,
    Library: _library_item,
}
"""Who picks an item of values of which something is known, by their types."""
