"""Code that makes tensors, going by the names of what it calls."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from torchdev_lint.catalog.factories import FACTORY_NAMES, SIZED
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import own_nodes


def makes_tensors(nodes: Iterable[ast.AST]) -> bool:
    """Return whether code calls something that is called like a function that makes tensors.

    Args:
        nodes: all of the code.
    """
    return any(
        isinstance(node, ast.Call) and last_component(node.func) in FACTORY_NAMES for node in nodes
    )


def gives_what_it_makes(function: ast.AST) -> bool:
    """Return whether all that a function gives are variables that hold what factories make.

    They are told no device there.
    """
    nodes = list(own_nodes(function))
    given = [node.value for node in nodes if isinstance(node, ast.Return)]
    made = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and _makes_on_host(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    bound = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return bool(given) and all(
        isinstance(value, ast.Name) and value.id in made and bound[value.id] == 1 for value in given
    )


def _makes_on_host(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or last_component(node.func) not in SIZED:
        return False
    return not by_keyword(node, "device")
