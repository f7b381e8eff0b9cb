"""Joining values, and what else makes values of values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.placement.domain.containers import (
    Container,
    Mapping,
    Sequence,
    SequenceKind,
)
from torchdev_lint.placement.domain.origins import Holder
from torchdev_lint.placement.domain.values import (
    NO_TENSORS,
    UNKNOWN,
    WIDENED,
    Bundle,
    Choice,
    DeviceValue,
    Loader,
    Place,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.records import replace

MAX_ALTERNATIVES = 8
"""How many alternatives of a joined value are kept before it counts as unknown."""


def choice(options: list[Value] | tuple[Value, ...]) -> Value:
    """Join alternatives into one value; neither their order nor repetitions matter.

    Lists are joined into one, tuples of one length element by element. What one alternative has
    moved and another has not is nowhere for certain, nor are the batches of a loader that brings
    them along in one alternative and not in another. More alternatives than are kept make the
    value unknown for good.

    Args:
        options: at least one value, perhaps joined ones.
    """
    first = options[0]
    for option in options:
        if option is not first:
            break
    else:
        return first
    unique = _grouped(options)
    return WIDENED if unique is None else _settled(unique)


def _grouped(options: Iterable[Value]) -> list[Value] | None:
    """The alternatives that differ, None where they are too many or one was widened."""
    groups: dict[object, Value] = {}
    for option in options:
        for alternative in option.options if isinstance(option, Choice) else (option,):
            group = _group_of(alternative)
            known = groups.get(group)
            if known is None:
                groups[group] = alternative
                if _is_widened(alternative) or len(groups) > MAX_ALTERNATIVES:
                    return None
            elif known is not alternative:
                merged = _merged(known, alternative)
                if _is_widened(merged):
                    return None
                groups[group] = merged
    return list(groups.values())


def _is_widened(value: Value) -> bool:
    """Whether a value stays unknown whatever joins it; others are not even compared with that."""
    return isinstance(value, Unknown) and value == WIDENED


def _group_of(value: Value) -> object:
    """What alternatives have in common that are joined into one."""
    if isinstance(value, Tensor) and value.axes is not None:
        return replace(value, moved_from=frozenset(), axes=None)
    if isinstance(value, (Tensor, Bundle)):
        return replace(value, moved_from=frozenset()) if value.moved_from else value
    if isinstance(value, Sequence):
        shape = (
            len(value.items)
            if value.kind is SequenceKind.TUPLE and value.items is not None
            else None
        )
        return (Sequence, value.kind, shape)
    return value


def _merged(first: Value, second: Value) -> Value:
    if isinstance(first, Sequence) and isinstance(second, Sequence):
        joined = first if first == second else _join_sequences(first, second)
        return with_same(joined, first.same | second.same)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return with_same(first, first.same | second.same)
    if isinstance(first, (Tensor, Bundle)) and isinstance(second, (Tensor, Bundle)):
        moved_from = first.moved_from | second.moved_from
        if len(moved_from) > MAX_ALTERNATIVES:
            return WIDENED
        if isinstance(first, Tensor) and isinstance(second, Tensor) and first.axes != second.axes:
            first = replace(first, axes=None)
        return replace(first, moved_from=moved_from)
    return first


def with_same(value: Container, same: frozenset[object]) -> Container:
    """Return a list or dict that may be some which other variables hold."""
    return value if value.same == same else replace(value, same=same)


def _settled(unique: list[Value]) -> Value:
    """One value from alternatives that all differ, with what they say of each other."""
    if len(unique) == 1:
        return unique[0]
    loaders = [option for option in unique if isinstance(option, Loader)]
    if len(loaders) > 1 and _is_brought_by_some(loaders):
        unique = [*(option for option in unique if not isinstance(option, Loader)), Loader(UNKNOWN)]
    unlike = _without_moved(unique)
    bundles = [option for option in unlike or () if isinstance(option, Bundle)]
    if len(bundles) > 1 and any(bundle.place is Place.UNKNOWN for bundle in bundles):
        rest = [option for option in unlike or () if not isinstance(option, Bundle)]
        bundle = _one_of(bundles)
        if len(bundle.moved_from) > MAX_ALTERNATIVES:
            return WIDENED
        unlike = _without_moved([*rest, bundle])  # what some of them were may be among the rest
    if unlike is None:
        return WIDENED
    unique = unlike
    if len(unique) == 1:
        return unique[0]
    joined = Choice(tuple(unique))
    return WIDENED if any(map(_is_widened, joined.options)) else joined


def _is_brought_by_some(loaders: list[Loader]) -> bool:
    """Whether some loaders bring their batches to the accelerator, and others leave them."""
    batches = [each for loader in loaders for each in leaves(loader.batch)]
    places = {each.place for each in batches if isinstance(each, (Tensor, Bundle))}
    return places.issuperset((Place.HOST, Place.ACCELERATOR))


def _without_moved(unique: list[Value]) -> list[Value] | None:
    """Alternatives, those of which others are the moved ones without their place.

    None if they are too many.
    """
    placed = (option for option in unique if isinstance(option, (Tensor, Bundle)))
    moved_ones = {source.identity for option in placed for source in option.moved_from}
    if not moved_ones:
        return unique
    return _grouped(_unless_moved(option, moved_ones) for option in unique)


def _unless_moved(option: Value, moved_ones: set[tuple[ast.AST, object]]) -> Value:
    """Forget where a host value lives of which another path holds the moved one."""
    if (
        isinstance(option, (Tensor, Bundle))
        and option.place is Place.HOST
        and option.origin is not None
        and option.origin.made.identity in moved_ones
    ):
        return placeless(option)
    return option


def placeless(value: Tensor | Bundle) -> Tensor | Bundle:
    """Forget where a value lives, as if the code might have moved it."""
    return replace(value, place=Place.UNKNOWN, origin=None, entered=None, moved_from=value.sources)


def _one_of(bundles: list[Bundle]) -> Bundle:
    """One structure for several of which one may be anywhere."""
    in_place = {bundle.in_place for bundle in bundles}
    sources = [bundle.sources for bundle in bundles]
    return Bundle(
        Place.UNKNOWN,
        in_place=in_place.pop() if len(in_place) == 1 else None,
        part=all(bundle.part for bundle in bundles),
        loaded=all(bundle.loaded for bundle in bundles),
        own=any(bundle.own for bundle in bundles),
        moved_from=frozenset().union(*sources),
        picked=any(bundle.is_picked for bundle in bundles),
        single=all(bundle.single for bundle in bundles),
    )


def join(first: Value, second: Value) -> Value:
    """Join the values that a name has at the ends of two branches."""
    return first if first is second or first == second else choice((first, second))


def _join_sequences(first: Sequence, second: Sequence) -> Sequence:
    kind = first.kind
    if first.items is not None and second.items is not None:
        if len(first.items) == len(second.items):
            return sequence(
                [join(a, b) for a, b in zip(first.items, second.items, strict=True)], kind
            )
    if first.items == () or second.items == ():
        return Sequence(None, second.element if first.items == () else first.element, kind)
    others = set(certain_items(second))
    both = tuple(value for value in certain_items(first) if value in others)
    return Sequence(None, join(first.element, second.element), kind, both)


def certain_items(value: Sequence) -> tuple[Value, ...]:
    """The elements that are certainly in a sequence at the same time."""
    return value.together if value.items is None else value.items


def sequence(items: list[Value], kind: SequenceKind = SequenceKind.LIST) -> Sequence:
    """Make a sequence whose elements are known."""
    return Sequence(tuple(items), choice(items) if items else UNKNOWN, kind)


def iterator(element: Value) -> Sequence:
    """Make a sequence of unknown length."""
    return Sequence(None, element, SequenceKind.ITERATOR)


def moved(value: Value, place: Place) -> Value:
    """Return a value as it is after a move to `place` (an explicit `.to()` that was kept)."""
    if isinstance(value, Tensor):
        return Tensor(
            place, value.scalar, mask=value.mask, moved_from=value.sources, axes=value.axes
        )
    if isinstance(value, Bundle):
        return replace(
            value,
            place=place,
            origin=None,
            entered=None,
            moved_from=value.sources,
            supposed=False,
            picked=value.is_picked,
            stays=True,
        )
    if isinstance(value, Choice):
        return choice([moved(option, place) for option in value.options])
    return WIDENED if value == WIDENED else UNKNOWN


def as_kept(value: Value, holder: Holder) -> Value:
    """Note of what was made on the host that an object keeps it, also in a list or dict."""
    if isinstance(value, Tensor) and value.origin is not None:
        return replace(value, origin=replace(value.origin, holder=holder))
    if isinstance(value, DeviceValue) and value.asked is not None:
        return replace(value, origin=replace(value.asked, holder=holder))
    if isinstance(value, Choice):
        return choice([as_kept(option, holder) for option in value.options])
    if isinstance(value, Sequence):
        holder = replace(holder, inside=True)
        items = None if value.items is None else tuple(as_kept(i, holder) for i in value.items)
        return replace(value, items=items, element=as_kept(value.element, holder))
    if isinstance(value, Mapping):
        holder = replace(holder, inside=True)
        entries = tuple((key, as_kept(entry, holder)) for key, entry in value.items)
        return Mapping(entries, as_kept(value.rest, holder))
    return value


def as_tensor(value: Tensor | Bundle) -> Tensor:
    """Return a tensor, or what a structure of tensors is where it is used as one."""
    if isinstance(value, Tensor):
        return value
    return Tensor(value.place, value.scalar, value.origin, entered=value.entered)


def size_of(value: Tensor | Bundle) -> Size:
    """Return the size of a tensor.

    Of one that a function is given it counts as one with axes: that is what the function is for.
    """
    if isinstance(value, Bundle):
        return Size(False)
    if value.place is Place.GIVEN:
        return Size(False, value.axes)
    return Size(value.scalar, value.axes)


def as_tensors(value: Value) -> Value:
    """Take what was only supposed to be tensors for such, and leave out what is none."""
    options = alternatives(value)
    if len(options) > 1:
        tensors = [as_tensors(option) for option in options if option not in NO_TENSORS]
        return choice(tensors) if tensors else value
    return replace(value, supposed=False) if isinstance(value, Bundle) else value


def with_rank(value: Value, scalar: bool | None) -> Value:
    """Return what an operation gives that keeps a tensor in its place, of whatever rank.

    Args:
        scalar: whether the result is 0-dim, where that is known.
    """
    return choice(
        [
            as_tensor(option).computed(scalar) if isinstance(option, (Tensor, Bundle)) else UNKNOWN
            for option in alternatives(value)
        ]
    )


def with_an_axis(value: Value) -> Value:
    """Return what is known of a value that, if it is a tensor, has at least one axis."""
    return choice(
        [replace(o, scalar=False) if isinstance(o, Tensor) else o for o in alternatives(value)]
    )


def with_axes(value: Value, axes: int | None) -> Value:
    """Return what is known of a value that, if it is a tensor, has so many axes.

    Args:
        axes: None where that is not known; fewer than none, where there is no such value.
    """
    if axes is None or axes < 0:
        return value
    return choice(
        [
            replace(option, scalar=axes == 0, axes=axes or None)
            if isinstance(option, Tensor)
            else option
            for option in alternatives(value)
        ]
    )


def leaves(value: Value, depth: int = 3) -> Iterator[Value]:
    """Yield the alternatives of a value and of what sequences in it hold."""
    for alternative in alternatives(value):
        if isinstance(alternative, Sequence) and depth:
            if alternative.items is not None:
                for item in alternative.items:
                    yield from leaves(item, depth - 1)
            else:
                yield from leaves(alternative.element, depth - 1)
        else:
            yield alternative
