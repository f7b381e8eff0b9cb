"""Methods of lists, tuples and dicts."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.methods import NEXT_METHODS
from torchdev_lint.catalog.operations import RESULT_FIELDS
from torchdev_lint.placement.defects.containers import lacks
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Container, Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import certain_items, choice, iterator, join, sequence
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.python.assignment import assign, change
from torchdev_lint.placement.python.changing import without_entry
from torchdev_lint.placement.python.distributions import call_distribution_method, parameter
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import root_name

_EXTENDING = frozenset({"extend", "extendleft"})
_GROWING = _EXTENDING | {"append", "appendleft", "insert", "add"}
"""Methods by which a list or set gets more."""
_REORDERING = frozenset({"pop", "popleft", "remove", "discard", "reverse", "sort", "rotate"})
"""Methods behind which each of its elements may stand elsewhere, or is gone."""


def call_container_method(
    run: Run, base: Sequence | Mapping, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate a method of a list, tuple or dict; those that change it change what is known."""
    if isinstance(base, Sequence):
        if lacks(base, name):
            fails(run, node)
        value = _of_sequence(run, base, name, arguments, node)
        now: Container = _sequence_after(run, base, name, arguments, node)
    else:
        value = _of_mapping(base, name, arguments)
        now = _mapping_after(base, name, arguments)
    if now is not base and isinstance(node.func, ast.Attribute):
        change(run, node.func.value, base, now)
    return value


def _of_sequence(
    run: Run, base: Sequence, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    if base.kind is SequenceKind.DISTRIBUTION:
        return call_distribution_method(run, base, name, arguments, node)
    if name in NEXT_METHODS:
        return element_of(run, base, node)
    if name in _GROWING:
        return NONE
    if name == "copy":
        return Sequence(base.items, base.element, base.kind, base.together)
    return base.element if name in {"pop", "popleft"} else UNKNOWN


def _sequence_after(
    run: Run, base: Sequence, name: str, arguments: Arguments, node: ast.Call
) -> Sequence:
    """What a list is after a call of one of its methods."""
    if name in _GROWING and arguments.get(0) is not None:
        return _grown(run, base, name, arguments, node)
    if name == "clear":
        return sequence([], base.kind)
    if name in _REORDERING and (base.items or base.together):
        return Sequence(None, base.element, base.kind)
    return base


def _of_mapping(base: Mapping, name: str, arguments: Arguments) -> Value:
    first = arguments.get(0)
    if name in {"items", "values", "keys"}:
        return _view(base, name)
    if name in {"get", "pop", "setdefault"}:
        otherwise = arguments.get(1) or (MISSING if name == "pop" else NONE)
        return _entry(base, first, otherwise)
    if name == "copy":
        return Mapping(base.items, base.rest)
    return NONE if name == "update" else UNKNOWN


def _mapping_after(base: Mapping, name: str, arguments: Arguments) -> Mapping:
    """What a dict is after a call of one of its methods."""
    first = arguments.get(0)
    if name == "update":
        return _updated(base, arguments)
    if name == "clear":
        return Mapping((), MISSING)
    if name == "pop":
        return without_entry(base, first)
    if name == "popitem":
        return Mapping((), choice(list(base.held())))
    if name == "setdefault":
        added = arguments.get(1) or NONE
        others = added if base.rest == MISSING else choice([base.rest, added])
        if not isinstance(first, Const):
            return Mapping(base.items, others)
        if base.get(first.value) is None:
            return base.with_item(first.value, others)
    return base


def _entry(base: Mapping, key: Value | None, otherwise: Value) -> Value:
    """The entry of a dict under a key, or what is given for one that it has not."""
    if isinstance(key, Const):
        if (found := base.get(key.value)) is not None:
            return found
        # a device that somebody may set is the one that the user runs on, whatever stands for it
        is_set = base.rest == UNKNOWN and key.value in DEVICE_NAMES
        return UNKNOWN if is_set else choice([base.rest, otherwise])
    is_whole = base.rest == MISSING and base.items
    return choice([*base.held()[:-1], otherwise]) if is_whole else UNKNOWN


def named_part(base: Value, name: str) -> Value | None:
    """Return the part of what an operation gives that has a name: `x.max(dim=1).values`.

    So has a parameter of a distribution, and so have the tensors that a data set is made of.

    Source: `TensorDataset.tensors` in `torch/utils/data/dataset.py`.
    """
    if not isinstance(base, Sequence):
        return None
    if base.kind is SequenceKind.DATASET and name == "tensors":
        element = base.element
        is_of_tensors = isinstance(element, Sequence) and element.kind is SequenceKind.TUPLE
        return element if is_of_tensors else None
    if base.kind is SequenceKind.DISTRIBUTION:
        return parameter(base, name)
    position = RESULT_FIELDS.get(name)
    if position is None or base.kind is not SequenceKind.TUPLE:
        return None
    if base.items is None:
        return base.element
    return base.items[position] if position < len(base.items) else None


def _grown(run: Run, base: Sequence, name: str, arguments: Arguments, node: ast.Call) -> Sequence:
    added = arguments.values()[-1]
    if name in _EXTENDING:
        added = element_of(run, added, node)
    if base.items == ():
        return Sequence(None, added, base.kind)
    known = certain_items(base)
    together = known if added in known or len(known) > 3 else (*known, added)
    return Sequence(None, join(base.element, added), base.kind, together)


def gone_through(value: Value) -> Value:
    """Return what a loop goes through: of a dict all of whose keys are known, these."""
    if isinstance(value, Mapping) and value.items and value.rest == MISSING:
        return _view(value, "keys")
    return value


def _view(base: Mapping, name: str) -> Value:
    if base.items and base.rest == MISSING:
        pairs: list[Value] = [sequence([Const(k), v], SequenceKind.TUPLE) for k, v in base.items]
        parts: dict[str, list[Value]] = {
            "items": pairs,
            "values": [v for _, v in base.items],
            "keys": [Const(k) for k, _ in base.items],
        }
        return sequence(parts[name], SequenceKind.LIST)
    rest = choice([*(v for _, v in base.items), base.rest])
    if name == "keys":
        return iterator(Scalar(ScalarKind.STR))
    return iterator(
        sequence([Scalar(ScalarKind.STR), rest], SequenceKind.TUPLE) if name == "items" else rest
    )


def merged(base: Mapping, other: Value, node: ast.AST) -> Mapping:
    """What `|` gives of a dict and something else: the entries of that replace its own."""
    return _updated(base, Arguments(positional=[(other, node)]))


def _updated(base: Mapping, arguments: Arguments) -> Mapping:
    first = arguments.get(0)
    added = dict(first.items) if isinstance(first, Mapping) else {}
    added |= {name: value for name, (value, _) in arguments.keywords.items()}
    known = isinstance(first, Mapping) or first is None
    rest = base.rest if known and not arguments.open_ended else UNKNOWN
    kept = {k: v for k, v in base.items if known}
    if isinstance(first, Mapping) and first.rest != MISSING:  # which may replace any entry
        rest = _one_of(rest, first.rest)
        kept = {k: _one_of(v, first.rest) for k, v in kept.items()}
    return Mapping(tuple((kept | added).items()), rest)


def _one_of(value: Value, other: Value) -> Value:
    """Either of two values, of which nobody knows which: no path tells what is there."""
    options = [*alternatives(value), *alternatives(other)]
    places = {option.place for option in options if isinstance(option, (Tensor, Bundle))}
    return choice([value, other]) if len(places) < 2 else UNKNOWN


def rebind(run: Run, node: ast.expr, value: Value) -> None:
    """Give what an expression reads a new value, if it is a path that can be assigned."""
    if root_name(node) not in run.env.names:
        excuse(run, value)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and path_of(node):
        assign(run, node, value)
