"""Modules whose parameters code takes out of training."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.gradients import ASKS_FOR_GRADIENTS, GIVES_PARAMETERS
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk


def frozen_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables and attributes that hold modules which code takes out of training.

    As in `for p in self.target.parameters(): p.requires_grad = False`, or
    `self.target.requires_grad_(False)`.

    Args:
        nodes: all of the code.
    """
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.For) and any(map(_freezes, node.body)):
            found.update(_asked_for_parameters(node.iter))
        elif isinstance(node, ast.Call) and _is_told_not_to(node):
            assert isinstance(node.func, ast.Attribute)
            found.add(last_component(node.func.value))
    return frozenset(found)


def _freezes(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return _is_false(statement.value) and any(
            isinstance(target, ast.Attribute) and target.attr == ASKS_FOR_GRADIENTS
            for target in statement.targets
        )
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and _is_told_not_to(call)


def _asked_for_parameters(node: ast.expr) -> Iterator[str]:
    """Yield what a loop asks for its parameters."""
    for part in walk(node):
        if isinstance(part, ast.Attribute) and part.attr in GIVES_PARAMETERS:
            yield last_component(part.value)


def _is_told_not_to(call: ast.Call) -> bool:
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == f"{ASKS_FOR_GRADIENTS}_"
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return is_method and len(given) == 1 and _is_false(given[0])


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
