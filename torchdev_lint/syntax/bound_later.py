"""Variables of a module that are bound anew only where a function has been used for the last time.

A function that reads one, as those of notebooks do, goes by what it has held until then.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk


class BoundLater:
    """Which variables of a module are bound anew behind the uses of its functions.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._read: dict[str, list[ast.Name]] = defaultdict(list)
        self._bound: dict[str, list[ast.Name]] = defaultdict(list)
        self._defined: dict[str, list[ast.AST]] = defaultdict(list)
        for node in walk(syntax.tree):
            if isinstance(node, ast.Name):
                kept = self._read if isinstance(node.ctx, ast.Load) else self._bound
                kept[node.id].append(node)
            elif isinstance(node, FUNCTIONS):
                self._defined[node.name].append(node)
        self._known: dict[ast.AST, frozenset[str]] = {}
        self._last: dict[str, ast.Name | None] = {}

    def than(self, function: ast.AST) -> frozenset[str]:
        """Return the variables that are bound anew when a function is used no more."""
        if function not in self._known:
            self._known[function] = frozenset(self._later(function))
        return self._known[function]

    def _later(self, function: ast.AST) -> Iterator[str]:
        if not isinstance(function, FUNCTIONS) or self._defined[function.name] != [function]:
            return
        around = self._syntax.outermost
        uses = [name for name in self._read[function.name] if around(name) is not function]
        if not uses or any(around(node) is not None for node in (function, *uses)):
            return
        latest, loops = max(map(_position, uses)), {o for use in uses for o in self._loops(use)}
        for name in {node.id for node in walk(function) if isinstance(node, ast.Name)}:
            last = self._last_bound(name)
            if last is None or not _position(self._bound[name][0]) < latest < _position(last):
                continue
            if loops.isdisjoint(self._loops(last)):
                yield name

    def _last_bound(self, name: str) -> ast.Name | None:
        """Where a variable is bound last, if more than one statement of the module binds it."""
        if name not in self._last:
            bound = sorted(self._bound.get(name, ()), key=_position)
            self._bound[name] = bound
            own = [part for part in bound if self._is_of_module(part)]
            self._last[name] = bound[-1] if len(own) == len(bound) > 1 else None
        return self._last[name]

    def _is_of_module(self, name: ast.Name) -> bool:
        """Whether it is a variable of the module, and none of a function or comprehension."""
        around = (part for _, part in self._syntax.definitions(name))
        return next(around, None) is self._syntax.tree

    def _loops(self, node: ast.AST) -> Iterator[ast.AST]:
        loop = self._syntax.loop(node)
        while loop is not None:
            yield loop
            loop = self._syntax.loop(loop)


def _position(name: ast.Name) -> tuple[int, int]:
    return name.lineno, name.col_offset
