"""Expressions whose value is on the host for certain, going by the text alone."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import TENSOR_MOVES
from torchdev_lint.syntax.scopes import Syntax

_MOST_VARIABLES = 4
"""Through how many variables a value is followed, each made of the one before."""


def is_brought_to_host(node: ast.expr, syntax: Syntax, variables: int = _MOST_VARIABLES) -> bool:
    """Return whether an expression is what `.cpu()` gave, or made of that by methods and indices.

    Args:
        node: the expression.
        syntax: the tree of its file.
        variables: through how many variables to look.
    """
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if method == "cpu" and not node.args:
                return True
            if method in TENSOR_MOVES:
                return False
            node = node.func.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            return False
    values = _values(node, syntax)
    return bool(variables and values) and all(
        value is not None and is_brought_to_host(value, syntax, variables - 1) for value in values
    )


def _values(name: ast.Name, syntax: Syntax) -> list[ast.expr | None]:
    """What a variable is assigned in its scope; None for what is not all of a value."""
    found: list[ast.expr | None] = []
    for bound in syntax.bindings(name.id, syntax.scope(name)):
        statement = syntax.parent(bound)
        whole = isinstance(statement, ast.Assign) and bound in statement.targets
        found.append(statement.value if whole and isinstance(statement, ast.Assign) else None)
    return found
