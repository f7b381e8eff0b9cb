"""What in a file uses what the file defines, told from names alone."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Set

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.scope import Scope, names_for


class Users:
    """Which scopes use what other scopes define; each is told of once.

    All methods use what `__init__` builds; a subclass is built of its bases.

    Args:
        early: methods that build modules, of which count the classes that they use, and functions
            that they hand on, to be called later.
    """

    def __init__(self, scopes: list[Scope], early: Set[Scope] = frozenset()) -> None:
        self._by_name: dict[str, list[Scope]] = defaultdict(list)
        self._classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
        self._members: dict[ast.ClassDef, list[Scope]] = defaultdict(list)
        defined = {scope.name for scope in scopes}
        classes = {scope.name for scope in scopes if scope.node is scope.owner}
        for scope in scopes:
            used = scope.mentions & defined
            if scope in early and not used <= classes:
                later = _names_to_be_called_later(scope.node)
                used = {name for name in used if name in classes or name in later}
            for name in used:
                self._by_name[name].append(scope)
            owner = scope.owner
            if owner is not None:
                self._members[owner].append(scope)
                if scope.name == "__init__" or scope.name == owner.name:
                    for name in used:
                        self._classes[name].append(owner)

    def of_name(self, name: str) -> list[Scope]:
        """Return those that use what goes by a name."""
        found = self._by_name.pop(name, [])
        for owner in self._classes.pop(name, ()):
            found += self.of_class(owner)
        return found

    def of_class(self, owner: ast.ClassDef) -> list[Scope]:
        """Return the methods of a class."""
        return self._members.pop(owner, [])


def with_users(
    starting: list[Scope],
    users: Users,
    stops: Callable[[Scope], Set[ast.AST]] | None = None,
) -> set[ast.AST]:
    """Some functions, with all that use them, directly or not, and their classes.

    Args:
        stops: gives what is reached of one whose users don't matter; nothing where they do.
    """
    reached: set[ast.AST] = set()
    first = frozenset(starting)
    pending, taken = list(starting), set(starting)
    while pending:
        scope = pending.pop()
        reached.add(scope.node)
        if stops is not None and (last := stops(scope)):
            reached |= last
            continue
        found = [user for name in names_for(scope) for user in users.of_name(name)]
        if scope.owner is not None:
            reached.add(scope.owner)
            if scope.name == "__init__" and (scope in first or scope.triggered or scope.makes):
                found += users.of_class(scope.owner)
        fresh = [user for user in found if user not in taken]
        taken.update(fresh)
        pending += fresh
    return reached


def _names_to_be_called_later(code: ast.AST) -> set[str]:
    """The names that code mentions without a call, or in a function that it defines."""
    nodes = list(walk(code))
    inner = [node for node in nodes if isinstance(node, (*FUNCTIONS, ast.Lambda))]
    later = {part for function in inner if function is not code for part in walk(function)}
    called = {node.func for node in nodes if isinstance(node, ast.Call)} - later
    return {last_component(n) for n in nodes if isinstance(n, ast.expr) and n not in called}
