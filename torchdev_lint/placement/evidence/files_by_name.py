"""Files that a program writes or fetches, found by how the expressions of their names read."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field

from torchdev_lint.placement.evidence.reading_back import ReadingBack
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.names import names_in, text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax


@dataclass(slots=True)
class _Alike:
    """Expressions that read alike.

    Args:
        owners: the functions, or the like, whose variables they are made of.
        scopes: the functions that they are in, or the module.
        functions: the names of these functions.
        mentioned: what is mentioned in these, or in the module.
    """

    owners: set[tuple[ast.AST | None, ...]] = field(default_factory=set)
    scopes: set[ast.AST] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)


class FilesByName:
    """Some files of a program.

    Args:
        syntax: the tree of the program.
        bindings: what binds its variables.
        files: the expressions of their names.
    """

    def __init__(self, syntax: Syntax, bindings: Bindings, files: Iterable[ast.expr]) -> None:
        self._syntax = syntax
        self._bindings = bindings
        self._order = syntax.derived(ReadingBack)
        self._alike: dict[str, _Alike] = {}
        for file in files:
            alike = self._alike.setdefault(text_of(file), _Alike())
            alike.owners.add(self._owners(file))
            alike.scopes.add(syntax.scope(file))
        for alike in self._alike.values():
            alike.mentioned.update(*map(self._order.mentioned, alike.scopes))
            alike.functions = {each.name for each in alike.scopes if isinstance(each, FUNCTIONS)}

    def hold(self, file: ast.expr) -> bool:
        """Return whether an expression names one of them: it is of the same variables.

        Where one function calls the other, or a third one calls both, what reads alike is taken
        for the same.
        """
        alike = self._alike.get(text_of(file))
        if alike is None:
            return False
        scope = self._syntax.scope(file)
        if not alike.functions.isdisjoint(self._order.mentioned(scope)):
            return True
        if isinstance(scope, FUNCTIONS):
            if scope.name in alike.mentioned:
                return True
            if self._order.is_called_behind(scope.name, alike.functions):
                return True
        return self._owners(file) in alike.owners

    def _owners(self, file: ast.expr) -> tuple[ast.AST | None, ...]:
        names = sorted(set(names_in(file)) - {"self"})
        return tuple(self._bindings.owner(name, file) for name in names)
