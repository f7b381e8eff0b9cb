"""What iteration and unpacking give."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import AXES, FIGURE
from torchdev_lint.catalog.ecosystem import ENCODED
from torchdev_lint.catalog.methods import STRUCTURE_COUNTS
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, with_axes
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    ARRAY,
    NUMERIC,
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
    Unknown,
    Value,
)
from torchdev_lint.placement.evidence.conditions import unplaced
from torchdev_lint.placement.python import module_containers
from torchdev_lint.placement.python.fields import as_tuple
from torchdev_lint.placement.python.own_iterators import coming_from, own_iterator, own_next
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short

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
    return one_of_library(value) if isinstance(value, Library) else UNKNOWN


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
    if (fields := as_tuple(run, value)) is not None:
        return fields.element
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
            (key, numbered_part(item, _batch_at(run, item, node), key)) for key, item in value.items
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
            numbered_part(
                item, _batch_at(run, item, nodes[i] if nodes else node), None if nodes else i
            )
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


def numbered_part(before: Value, value: Value, index: object) -> Value:
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
        if (fields := as_tuple(run, value)) is not None:
            return _unpack_sequence(run, fields, targets)
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
        return parts if starred else list(map(at_a_position, parts))
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


def at_a_position(element: Value) -> Value:
    """Return what is at a position of a list of which the elements are known, not their order."""
    return unplaced(element.options) if isinstance(element, Choice) else element


def one_of_library(base: Library) -> Value:
    """Return one of an array's figures or axes, any is as good: `axs[0, 1]`, `axs.flat`."""
    return next((Library(name) for name in _SEVERAL if base.name.startswith(name)), UNKNOWN)
