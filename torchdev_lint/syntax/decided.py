"""How the conditions have turned out where code is run."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax


def decided(syntax: Syntax, node: ast.AST) -> dict[str, bool]:
    """Return how the conditions around a place in its function have turned out, by their texts."""
    outcomes: dict[str, bool] = {}
    child = node
    for part in syntax.around(node):
        if isinstance(part, FUNCTIONS):
            break
        if isinstance(part, (ast.If, ast.IfExp)) and child is not part.test:
            body = part.body if isinstance(part.body, list) else [part.body]
            test, outcome = part.test, child in body
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, outcome = test.operand, not outcome
            outcomes[text_of(test)] = outcome
        child = part
    return outcomes


def are_alternatives(syntax: Syntax, one: ast.AST, other: ast.AST) -> bool:
    """Return whether one condition decides which of two places of a function is run."""
    if syntax.scope(one) is not syntax.scope(other):
        return False
    here = decided(syntax, one)
    return any(here.get(test, holds) is not holds for test, holds in decided(syntax, other).items())
