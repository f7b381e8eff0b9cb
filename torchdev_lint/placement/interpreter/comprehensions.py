"""Comprehensions, and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence
from torchdev_lint.placement.domain.values import MISSING, Const, Value
from torchdev_lint.placement.interpreter.named_entries import NamedEntry, entries_chosen
from torchdev_lint.placement.interpreter.outcomes import condition, narrow
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.changing import leave_comprehension, share
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.run import Run

_Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp"
_Made = TypeVar("_Made")

_MOST_UNROLLED = 8
"""Sequences of at most this many known elements are gone through one by one."""
_KINDS = {
    ast.ListComp: SequenceKind.LIST,
    ast.SetComp: SequenceKind.SET,
    ast.GeneratorExp: SequenceKind.ITERATOR,
}
"""What they make."""


def comprehension(run: Run, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
    """Evaluate a comprehension that makes a list, a set or an iterator."""
    results = _unrolled(run, node, lambda: run.evaluate(node.elt))
    if results is not None:
        is_list = isinstance(node, ast.ListComp)
        return sequence(results, SequenceKind.LIST if is_list else SequenceKind.TUPLE)
    element = _in_comprehension(run, node.generators, lambda: run.evaluate(node.elt))
    return Sequence(None, element, _KINDS[type(node)])


def _unrolled(run: Run, node: _Comprehension, body: Callable[[], _Made]) -> list[_Made] | None:
    """Evaluate a comprehension over a sequence whose elements are known, one by one."""
    generator = node.generators[0]
    if len(node.generators) != 1 or generator.ifs:
        return None
    source = run.evaluate(generator.iter)
    if (
        not isinstance(source, Sequence)
        or source.items is None
        or len(source.items) > _MOST_UNROLLED
    ):
        return None
    run.budget.copied(len(run.env.names))
    saved = dict(run.env.names)
    results: list[_Made] = []
    for item in source.items:
        assign(run, generator.target, item)
        results.append(body())
    leave_comprehension(run, saved, [generator])
    return results


def dict_comprehension(run: Run, node: ast.DictComp) -> Value:
    """Evaluate a comprehension that makes a dict: over what is known its keys may be as well."""

    def pair() -> tuple[Value, Value]:
        return run.evaluate(node.key), run.evaluate(node.value)

    pairs = _unrolled(run, node, pair)
    if pairs is None:
        named = entries_chosen(run, node)
        rest = _in_comprehension(run, node.generators, pair)[1]
        return Mapping(tuple(_chosen(run, node, named)), rest)
    if all(isinstance(key, Const) for key, _ in pairs):
        items = {key.value: value for key, value in pairs if isinstance(key, Const)}
        return Mapping(tuple(items.items()), MISSING)
    return Mapping((), choice([value for _, value in pairs]))


def _chosen(
    run: Run, node: ast.DictComp, named: tuple[NamedEntry, ...]
) -> Iterator[tuple[str, Value]]:
    """Yield the entries with names of a dict that asks for the keys of those it is made of."""
    generator = node.generators[0]
    saved = dict(run.env.names)
    for entry in named:
        assign(run, generator.target, entry.target)
        if all(condition(run, test) for test in generator.ifs):
            yield entry.name, run.evaluate(node.value)
        leave_comprehension(run, saved, [generator])


def _in_comprehension(
    run: Run, generators: list[ast.comprehension], body: Callable[[], _Made]
) -> _Made:
    run.budget.copied(len(run.env.names))
    saved = dict(run.env.names)
    for generator in generators:
        source = run.evaluate(generator.iter)
        share(source)
        assign(run, generator.target, element_of(run, source, generator.target))
        for test in generator.ifs:
            run.evaluate(test)
            narrow(run, test, True)
    value = body()
    leave_comprehension(run, saved, generators)
    return value
