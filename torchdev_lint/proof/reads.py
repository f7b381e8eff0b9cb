"""Where variables are read while a binding of theirs is in force."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_FEW = 32
"""Reads that may be of more bindings than that are asked one by one, and not kept for each."""


class Reads:
    """The reads of the variables of a file, by what may be read there.

    Args:
        syntax: the file's tree.
        bindings: what binds its variables.
    """

    def __init__(self, syntax: Syntax, bindings: Bindings) -> None:
        self._syntax = syntax
        self._bindings = bindings
        self._of_few: dict[tuple[str, ast.AST], dict[ast.AST | None, list[ast.Name]]] = {}
        self._of_many: dict[tuple[str, ast.AST], list[ast.Name]] = {}

    def of(self, name: str, binding: ast.AST) -> Iterator[ast.Name]:
        """Yield where a variable is read, in the scope of a binding, while that is in force."""
        scope = self._syntax.scope(binding)
        if isinstance(binding, ast.arg):
            scope = next(p for p in self._syntax.around(binding) if isinstance(p, FUNCTIONS))
        yield from self.of_any(name, scope, frozenset({binding}))

    def of_any(
        self, name: str, scope: ast.AST, bound: frozenset[ast.AST | None]
    ) -> Iterator[ast.Name]:
        """Yield where a variable is read in a scope while one of some bindings is in force.

        Args:
            name: the variable's name.
            scope: the scope.
            bound: the bindings; None stands for that there is none. A read may come twice.
        """
        key = name, scope
        if key not in self._of_few:
            self._sort(name, scope)
        for binding in bound:
            yield from self._of_few[key].get(binding, ())
        for read in self._of_many[key]:
            if not bound.isdisjoint(self._bindings.reaching(name, read)):
                yield read

    def _sort(self, name: str, scope: ast.AST) -> None:
        few: dict[ast.AST | None, list[ast.Name]] = {}
        many: list[ast.Name] = []
        for read in self._syntax.named(name, scope):
            if isinstance(read.ctx, ast.Load):
                reached = self._bindings.reaching(name, read)
                if len(reached) > _FEW:
                    many.append(read)
                    continue
                for binding in reached:
                    few.setdefault(binding, []).append(read)
        self._of_few[name, scope], self._of_many[name, scope] = few, many
