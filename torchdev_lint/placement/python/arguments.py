"""How the arguments of a call are evaluated."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.values import MISSING, UNKNOWN, Bundle, Place, Size, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of


def _as_it_is_now(run: Run, node: ast.expr, value: Value) -> Value:
    """A structure of which parts were replaced is not where it came from as a whole."""
    path = path_of(node) if isinstance(value, Bundle) and run.env.paths else None
    if path is None or not isinstance(value, Bundle):
        return value
    parts = run.env.paths.below(path)
    if all(isinstance(part, Bundle) and part.place is value.place for part in parts):
        return value
    return replace(value, place=Place.UNKNOWN, origin=None)


def evaluate_arguments(run: Run, node: ast.Call) -> Arguments:
    """Evaluate the arguments of a call, spreading what `*` and `**` are known to hold."""
    arguments = Arguments()
    for item in node.args:
        if isinstance(item, ast.Starred):
            _spread(run, arguments, item)
        else:
            value = _as_it_is_now(run, item, run.evaluate(item))
            arguments.positional.append((value, item))
    for keyword in node.keywords:
        value = _as_it_is_now(run, keyword.value, run.evaluate(keyword.value))
        if keyword.arg is not None:
            arguments.keywords[keyword.arg] = (value, keyword.value)
        elif isinstance(value, Mapping):
            for name, part in value.items:
                if isinstance(name, str):
                    arguments.keywords[name] = (part, keyword.value)
            if value.rest != MISSING:
                arguments.open_ended = arguments.any_keyword = True
                arguments.bundles.append((value.rest, keyword.value))
        else:
            arguments.open_ended = arguments.any_keyword = True
            arguments.keywords.update(_entries(run, keyword.value))
            if isinstance(value, Bundle):
                arguments.bundles.append((value, keyword.value))
    return arguments


def _entries(run: Run, node: ast.expr) -> dict[str, tuple[Value, ast.expr]]:
    """What the code at hand has put under names into a dict of which nothing else is known."""
    path = path_of(node)
    known = run.env.paths.entries(path) if path is not None else ()
    return {name: (value, node) for name, value in known}


def _spread(run: Run, arguments: Arguments, item: ast.Starred) -> None:
    value = run.evaluate(item.value)
    if isinstance(value, Sequence) and value.items is not None:
        arguments.positional.extend((part, item.value) for part in value.items)
        return
    arguments.open_ended = True
    if isinstance(value, Size):
        arguments.positional.append((value, item))
        return
    if isinstance(value, (Bundle, Sequence)):
        inner = value.element if isinstance(value, Sequence) else value
        arguments.bundles.append((inner, item.value))
    arguments.positional.append((UNKNOWN, item))
