"""How the conditions have turned out where code is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax


def on_the_way(syntax: Syntax, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the conditions around a place in its function, and how each has turned out.

    The innermost comes first; of `not x` it is `x`.
    """
    child = node
    for part in syntax.around(node):
        if isinstance(part, FUNCTIONS):
            return
        if isinstance(part, (ast.If, ast.IfExp)) and child is not part.test:
            body = part.body if isinstance(part.body, list) else [part.body]
            test, outcome = part.test, child in body
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, outcome = test.operand, not outcome
            yield test, outcome
        child = part


def parts_told(test: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what is known of the parts of a condition that turned out one way."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from parts_told(test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        for part in test.values:
            yield from parts_told(part, holds)
    else:
        yield test, holds


def decided(syntax: Syntax, node: ast.AST) -> dict[str, bool]:
    """Return how the conditions around a place in its function have turned out, by their texts."""
    return {text_of(test): outcome for test, outcome in on_the_way(syntax, node)}


def are_alternatives(syntax: Syntax, one: ast.AST, other: ast.AST) -> bool:
    """Return whether one condition decides which of two places of a function is run."""
    if syntax.scope(one) is not syntax.scope(other):
        return False
    here = decided(syntax, one)
    return any(here.get(test, holds) is not holds for test, holds in decided(syntax, other).items())
