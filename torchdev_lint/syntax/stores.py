"""Where variables and attributes are assigned."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set

from torchdev_lint.syntax.names import names_in


def stores_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.Name | ast.Attribute]]:
    """Yield the names of the variables and attributes that are assigned, each with its place."""
    for node in nodes:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                yield node.id, node
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names of the variables and attributes that are assigned."""
    return frozenset(name for name, _ in stores_in(nodes))


def first_lines(nodes: Iterable[ast.AST]) -> dict[str, int]:
    """Return the line on which each variable is first bound, or deleted."""
    lines: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    return lines


def first_assignments(nodes: Iterable[ast.AST]) -> dict[str, ast.Assign]:
    """Return the statement that first gives each variable a value, if it is an assignment."""
    nodes = list(nodes)
    lines, found = first_lines(nodes), dict[str, ast.Assign]()
    for node in nodes:
        if isinstance(node, ast.Assign):
            for name in set[str]().union(*map(names_in, node.targets)):
                if lines.get(name) == node.lineno:
                    found.setdefault(name, node)
    return found


class Stores:
    """Where a function, class or module assigns what.

    Args:
        nodes: all of it.
    """

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, node in stores_in(nodes):
            self._places[name].append((node.lineno, node.col_offset))
        for places in self._places.values():
            places.sort()

    def any_in(self, statement: ast.stmt, names: Set[str]) -> bool:
        """Return whether any of some variables and attributes is assigned in a statement."""
        start = statement.lineno, statement.col_offset
        end = statement.end_lineno or statement.lineno, statement.end_col_offset or 0
        for name in names:
            places = self._places.get(name, [])
            if bisect_left(places, start) < bisect_left(places, end):
                return True
        return False
