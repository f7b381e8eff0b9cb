"""Where variables and attributes are assigned."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set


def stores_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.Name | ast.Attribute]]:
    """Yield the names of the variables and attributes that are assigned, each with its place."""
    for node in nodes:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                yield node.id, node
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node


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
