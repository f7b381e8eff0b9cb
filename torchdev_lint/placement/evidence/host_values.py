"""Expressions whose value is on the host for certain, going by the text alone."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import TENSOR_MOVES
from torchdev_lint.proof.grounds import Grounds

_MOST_VARIABLES = 4
"""Through how many variables a value is followed, each made of the one before."""
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def is_brought_to_host(node: ast.expr, grounds: Grounds, variables: int = _MOST_VARIABLES) -> bool:
    """Return whether an expression is what `.cpu()` gave, or a part of it, or computed of it alone.

    Args:
        node: the expression.
        grounds: what is known of the names of its file.
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
    made_of = _made_of(node, grounds) if variables else []
    return bool(made_of) and all(is_brought_to_host(n, grounds, variables - 1) for n in made_of)


def _made_of(name: ast.Name, grounds: Grounds) -> list[ast.expr]:
    """What a variable may hold the value of, or a part of it; empty: not all of that is known."""
    found: list[ast.expr] = []
    for binding in grounds.bindings.reaching(name.id, name):
        around = grounds.syntax.parent(binding) if binding is not None else None
        if isinstance(around, _LOOPS) and around.target is binding:
            given = [around.iter]
        else:
            given = grounds.values.given(binding)
        if not given:
            return []
        found += given
    return found
