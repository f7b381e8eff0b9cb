"""Methods of lists, tuples and dicts."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.factories import DRAWING
from torchdev_lint.catalog.methods import NEXT_METHODS
from torchdev_lint.placement.defects.containers import lacks
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import certain_items, choice, iterator, join, sequence
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Const,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
)
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import root_name


def call_container_method(
    run: Run, base: Sequence | Mapping, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate a method of a list, tuple or dict; those that change it change what is known."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    first = arguments.get(0)
    if isinstance(base, Sequence):
        if lacks(base, name):
            fails(run, node)
        if (
            receiver is not None
            and name in {"append", "extend", "insert", "add"}
            and first is not None
        ):
            rebind(run, receiver, _grown(run, base, name, arguments, node))
            return NONE
        if base.kind is SequenceKind.DISTRIBUTION:
            return _draw(base, name, arguments)
        if name in NEXT_METHODS:
            return element_of(run, base, node)
        return base.element if name == "pop" else UNKNOWN
    if name in {"items", "values", "keys"}:
        return _view(base, name)
    if name == "get":
        return _entry(base, first, arguments.get(1) or NONE)
    if name == "copy":
        return base
    if name == "update" and receiver is not None:
        merged = _updated(base, arguments)
        rebind(run, receiver, merged)
        return NONE
    return UNKNOWN


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


def _draw(base: Sequence, name: str, arguments: Arguments) -> Value:
    """`sample()` of a distribution; with a shape, the result has dimensions."""
    if name not in DRAWING:
        return UNKNOWN
    if isinstance(base.element, Tensor) and arguments.positional:
        return replace(base.element, scalar=False)
    return base.element


def _grown(run: Run, base: Sequence, name: str, arguments: Arguments, node: ast.Call) -> Sequence:
    added = arguments.values()[-1]
    if name == "extend":
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


def _updated(base: Mapping, arguments: Arguments) -> Mapping:
    first = arguments.get(0)
    added = dict(first.items) if isinstance(first, Mapping) else {}
    added |= {name: value for name, (value, _) in arguments.keywords.items()}
    known = isinstance(first, Mapping) or first is None
    rest = base.rest if known and not arguments.open_ended else UNKNOWN
    kept = {k: v for k, v in base.items if known} | added
    return Mapping(tuple(kept.items()), rest)


def rebind(run: Run, node: ast.expr, value: Value) -> None:
    """Give what an expression reads a new value, if it is a path that can be assigned."""
    if root_name(node) not in run.env.names:
        excuse(run, value)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and path_of(node):
        assign(run, node, value)
