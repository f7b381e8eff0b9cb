"""Lengths of sequences, as code takes them from other lengths, or counts them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Set
from typing import TypeGuard

from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.walking import walk

_KEEPS_LENGTHS = frozenset(
    "clamp clone contiguous detach flatten index_select int long reshape sort squeeze view".split()
)
"""Methods of lengths, or functions, that give lengths again, where they were."""
_COUNTS = frozenset({"sum", "count_nonzero"})
_PUTS = frozenset({"to", "cuda"})
_DEPTH = 4
"""How many variables are followed."""


def taken_from(value: ast.expr) -> ast.expr:
    """The expression whose elements another one gives, perhaps some, or in another order."""
    while True:
        if isinstance(value, ast.Subscript):
            value = value.value
            continue
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return value
        if value.func.attr not in _KEEPS_LENGTHS:
            return value
        is_function = value.args and dotted(value.func.value) == "torch"
        value = value.args[0] if is_function else value.func.value


def counted_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables with lengths that a function itself counts, or of which it says where.

    Those that it is handed may be anywhere, whatever else it is handed.

    Args:
        nodes: all of the function.
    """
    counted = set[str]()
    taken: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Assign):
            source = taken_from(node.value)
            if isinstance(source, ast.Name):
                taken[source.id] |= _bound_by(node)
            elif _counts(source):
                counted |= _bound_by(node)
    newest = counted
    for _ in range(_DEPTH - 1):
        newest = set[str]().union(*(taken.get(name, ()) for name in newest)) - counted
        counted = counted | newest
    return frozenset(counted)


def is_counted(lengths: ast.expr, counted: Set[str]) -> bool:
    """Whether an expression gives lengths that a function counts, or of which it says where.

    Args:
        counted: the variables that hold such.
    """
    source = taken_from(lengths)
    return source.id in counted if isinstance(source, ast.Name) else _counts(source)


class HandedOn:
    """Which of its parameters a function hands on as lengths.

    Args:
        nodes: all of the function.
    """

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._sources: dict[str, list[ast.expr]] = defaultdict(list)
        nodes, stored = list(nodes), set[ast.AST]()
        for node in nodes:
            if isinstance(node, ast.Assign):
                targets = [part for part in walk(node.targets[0]) if isinstance(part, ast.Name)]
                stored.update(targets)
                for target in targets:
                    self._sources[target.id].append(taken_from(node.value))
        self._others = {n.id for n in nodes if _is_stored(n) and n not in stored}

    def parameter(self, lengths: ast.expr, parameters: Set[str]) -> str | None:
        """Return the parameter whose elements lengths are, perhaps in another order.

        None where they may be others.

        Args:
            parameters: those of the function.
        """
        pending, roots, seen = [taken_from(lengths)], set[str](), set[str]()
        while pending:
            source = pending.pop()
            if not isinstance(source, ast.Name) or source.id in self._others:
                return None
            if source.id in seen:
                continue
            seen.add(source.id)
            pending += self._sources.get(source.id, ())
            if source.id in parameters:
                roots.add(source.id)
            elif source.id not in self._sources:
                return None
        return roots.pop() if len(roots) == 1 else None


def _counts(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    return bool(by_keyword(value, "device")) or last_component(value.func) in _COUNTS | _PUTS


def _bound_by(node: ast.Assign) -> set[str]:
    target = node.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
