"""Structures that are not known in detail, such as batches, and what replaces their entries.

A function that is handed one replaces entries of what its caller has as well: nothing is said any
more of those that there were.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.joins import moved
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import MISSING, Bundle, Const, Place, Value, alternatives
from torchdev_lint.placement.facts.events import Excused
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of


def replace_entries(
    run: Run, holder: ast.expr, structure: Bundle, entries: Mapping, attributes: bool = False
) -> None:
    """Have a structure that is not known in detail hold other entries.

    Args:
        holder: the expression that gives it.
        structure: the structure.
        entries: what it gets; whatever is not known of that may replace any entry.
        attributes: whether they are its attributes.
    """
    if entries.rest != MISSING:
        for excused in _replaced_for_all(run, structure):
            run.note(excused)
        if isinstance(holder, ast.Name):
            run.bind(holder.id, moved(structure, Place.UNKNOWN))
        elif path := path_of(holder):
            run.budget.visited(run.env.paths.forget_below(path))
            run.env.paths[path] = moved(structure, Place.UNKNOWN)
        return
    for key, value in entries.items:
        excuse_entry(run, structure, key)
        if path := path_of(entry(holder, key, attributes)):
            run.env.paths[path] = value


def path_by_value(holder: ast.expr, index: Value) -> str | None:
    """Return the path of an entry under a key that is known, however the code says that."""
    return path_of(entry(holder, index.value)) if isinstance(index, Const) else None


def entry(holder: ast.expr, key: Any, attribute: bool = False) -> ast.expr:
    """Return the expression that gives an entry of what an expression gives.

    Args:
        holder: the other expression.
        key: that of the entry.
        attribute: whether it is an attribute.
    """
    if attribute:
        return ast.Attribute(value=holder, attr=str(key), ctx=ast.Load())
    index = ast.Constant(value=key)
    return ast.Subscript(value=holder, slice=index, ctx=ast.Load())


def _replaced_for_all(run: Run, structure: Bundle) -> Iterator[Excused]:
    """Yield what excuses a structure that a caller has as well, with what holds it."""
    whole = structure.origin
    if whole is not None and _is_of_caller(run, whole):
        yield from Excused.with_wholes(whole)


def excuse_entry(run: Run, holder: Value, key: object) -> None:
    """Note that what may be a caller's structure gets another entry."""
    for option in alternatives(holder):
        whole = option.origin if isinstance(option, Bundle) else None
        if whole is not None and _is_of_caller(run, whole):
            run.note(Excused(replace(whole, key=(whole.key, key), whole=whole)))


def _is_of_caller(run: Run, whole: Origin) -> bool:
    frame = run.frame
    return (whole.file, whole.scope) != (frame.file, frame.scope)
