"""Which functions bind what they move to variables that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.syntax.lost_bindings import lost_bindings
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.scope import Scope


def losers_of_moves(scopes: Iterable[Scope]) -> list[Scope]:
    """Return the functions that bind what they move to variables for nothing."""
    moving = (scope for scope in scopes if scope.moved or "cpu" in scope.mentions)
    return [scope for scope in moving if _loses_moves(scope.node)]


def _loses_moves(scope: ast.AST) -> bool:
    """Whether a function, one in it, or the code of a module, loses what it moves."""
    if lost_bindings(scope, MOVES):
        return True
    if not isinstance(scope, FUNCTIONS):
        return False
    inner = (part for part in walk(scope) if isinstance(part, FUNCTIONS) and part is not scope)
    return any(lost_bindings(part, MOVES) for part in inner)
