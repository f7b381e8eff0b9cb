"""Lists and dicts that are changed: whatever else holds the same one holds what it has become.

Values are never changed in place: a list that grows is another value. That several variables hold
the same one is what `same` tells of it; what was in it is forgotten of all the others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from torchdev_lint.placement.domain.containers import Container, Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.isomorphism import parts_of, with_tensors
from torchdev_lint.placement.domain.joins import choice, placeless
from torchdev_lint.placement.domain.values import (
    WIDENED,
    Choice,
    Const,
    Instance,
    Value,
    alternatives,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.walking import walk

_MOST_NESTED = 3
"""How deep lists and dicts are looked into that hold others."""
_FRESH = (
    ast.Call, ast.List, ast.Dict, ast.Set, ast.Tuple,
    ast.ListComp, ast.DictComp, ast.SetComp, ast.BinOp,
)  # fmt: skip
"""What gives a list or dict that nothing else holds, though it may hold such ones."""


def can_change(value: Value) -> TypeGuard[Container]:
    """Whether a value is a list, set or dict: what may be changed in place."""
    if isinstance(value, Sequence):
        return value.kind in {SequenceKind.LIST, SequenceKind.SET, SequenceKind.DEQUE}
    return isinstance(value, Mapping)


def share(value: Value, node: ast.expr | None = None) -> None:
    """Note the lists and dicts that another variable or attribute gets to hold as well.

    Args:
        node: the expression that gives them, if it is what one is assigned.
    """
    for container, depth in _containers_in(value):
        if not container.same and (depth or not isinstance(node, _FRESH)):
            take_for(container, frozenset({object()}))


def take_for(container: Container, same: frozenset[object]) -> None:
    """Note which lists or dicts one may be, which it is no less for whoever holds it by now."""
    object.__setattr__(container, "same", container.same | same)


def _containers_in(value: Value, depth: int = 0) -> Iterator[tuple[Container, int]]:
    for option in alternatives(value):
        if can_change(option):
            yield option, depth
        if isinstance(option, (Sequence, Mapping)) and depth < _MOST_NESTED:
            for held in option.held():
                yield from _containers_in(held, depth + 1)


def lose(run: Run, old: Value) -> None:
    """Forget what is in a list or dict that other variables hold: something has changed it."""
    found = [option.same for option in alternatives(old) if can_change(option)]
    gone = frozenset[object]().union(*found)
    if not gone:
        return
    for frame in dict.fromkeys((*run.frames, *run.frame.closure)):
        lost = _lost(run, frame.env.names, gone)
        frame.env.names.update(lost)
        if lost and frame is not run.frame:
            _depend_on(run, frame)
    changed = {}
    for ref, obj in run.env.heap.items():
        if lost := _lost(run, obj.attrs, gone):
            changed[ref] = obj.with_attributes({**obj.attrs, **lost})
    if changed:
        run.put(changed)


def leave_comprehension(
    run: Run, before: dict[str, Value], generators: list[ast.comprehension]
) -> None:
    """Have variables hold what they did before a comprehension, but for what that has changed.

    Args:
        before: what they held.
        generators: what it goes through.
    """
    own = {
        part.id for each in generators for part in walk(each.target) if isinstance(part, ast.Name)
    }
    now, run.env.names = run.env.names, before
    for name, value in before.items():
        changed = now.get(name, value)
        if changed is not value and name not in own:
            if any(container.same for container, _ in _containers_in(value)):
                before[name] = changed


def lose_places(run: Run, *handed: Value) -> None:
    """Forget where what plain objects keep is: code out of sight has them, and may move it.

    Args:
        handed: what it has: such objects, or what holds some.
    """
    pending, changed = list(handed), dict[int, Obj]()
    while pending:
        current = pending.pop()
        if not isinstance(current, Instance):
            pending += parts_of(current)
        elif current.ref not in changed and not (obj := run.obj(current)).module:
            run.budget.visited(len(obj.attrs))
            attrs = {name: with_tensors(value, placeless) for name, value in obj.attrs.items()}
            changed[current.ref] = obj.with_attributes(attrs)
            pending += obj.attrs.values()
    run.put(changed)


def _lost(run: Run, held: dict[str, Value], gone: frozenset[object]) -> dict[str, Value]:
    """What variables or attributes hold from now on, of those that hold such a list or dict."""
    run.budget.visited(len(held))
    now = ((name, value, _without(value, gone)) for name, value in held.items())
    return {name: without for name, value, without in now if without is not value}


def _depend_on(run: Run, outer: Frame) -> None:
    """Have no call be remembered that has changed what a variable outside of it holds."""
    inside = run.frames.index(outer) + 1 if outer in run.frames else 1
    for frame in run.frames[inside:]:
        frame.reads.cut_off = True


def _without(value: Value, gone: frozenset[object], depth: int = 0) -> Value:
    """A value with nothing known of what is in some lists and dicts."""
    if isinstance(value, Choice):
        options = [_without(option, gone, depth) for option in value.options]
        same = all(a is b for a, b in zip(options, value.options, strict=True))
        return value if same else choice(options)
    if not isinstance(value, (Sequence, Mapping)):
        return value
    if not value.same.isdisjoint(gone):
        return widened(value)
    if depth == _MOST_NESTED:
        return value
    held = value.held()
    if all(_without(part, gone, depth + 1) is part for part in held):
        return value
    return widened(value)


def widened(value: Container) -> Container:
    """A list or dict in which anything may be."""
    if isinstance(value, Mapping):
        return Mapping((), WIDENED, value.same)
    return Sequence(None, WIDENED, value.kind, same=value.same)


def without_entry(base: Mapping, key: Value | None) -> Mapping:
    """What is left of a dict of which an entry was taken out."""
    if not isinstance(key, Const):
        return base
    return Mapping(tuple(pair for pair in base.items if pair[0] != key.value), base.rest)
