"""Places in different functions of which the same condition lets only one be reached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.decided import on_the_way, parts_told
from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.private import class_around
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, parameter_names
from torchdev_lint.syntax.walking import walk

_OWN = "self"


def exclude_each_other(syntax: Syntax, one: ast.AST, other: ast.AST) -> bool:
    """Return whether one place is reached where a condition holds, and the other where it doesn't.

    The condition asks what both functions share: attributes of their object, or variables of the
    module. That it turns out the same in both is likely, not certain: enough to say nothing.

    Args:
        syntax: the tree in which both are.
    """
    if syntax.parent(one) is None or syntax.parent(other) is None:
        return False
    sides = set(_sides(syntax, one)) if syntax.scope(one) is not syntax.scope(other) else set()
    return any((owner, text, not holds) in sides for owner, text, holds in _sides(syntax, other))


def _sides(syntax: Syntax, node: ast.AST) -> Iterator[tuple[ast.ClassDef | None, str, bool]]:
    """Yield the conditions around a node in its function, and how each turned out to get there.

    Each with the class whose object it asks, if it does.
    """
    for whole, outcome in on_the_way(syntax, node):
        for test, holds in parts_told(whole, outcome):
            shared = _shared(syntax, test)
            if shared is not None:
                yield class_around(test, syntax) if shared else None, text_of(test), holds


def _shared(syntax: Syntax, test: ast.expr) -> bool | None:
    """Whether a condition asks for what an object has; None if not only that, or the module's."""
    scope, asks_own = syntax.scope(test), False
    for part in walk(test):
        if isinstance(part, ast.Call):
            return None
        if isinstance(part, ast.Name) and part.id == _OWN:
            if not isinstance(syntax.parent(part), ast.Attribute):
                return None
            asks_own = True
        elif isinstance(part, ast.Name) and _is_bound_in(syntax, part.id, scope):
            return None
    return asks_own


def _is_bound_in(syntax: Syntax, name: str, scope: ast.AST) -> bool:
    """Whether a variable is one of a function, and not of the module."""
    if not isinstance(scope, FUNCTIONS):
        return False
    return name in parameter_names(scope) or bool(syntax.bindings(name, scope))
