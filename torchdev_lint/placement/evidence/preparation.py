"""Methods of modules that belong to the time before the module is moved."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.catalog.modules import PREPARATION

_SIZES = frozenset({"shape", "ndim"})
_SIZE_METHODS = frozenset({"size", "numel", "dim"})


def prepares(
    method: ast.FunctionDef | ast.AsyncFunctionDef, nodes: Callable[[ast.AST], list[ast.AST]]
) -> bool:
    """Whether a method is called while a module is built.

    Told by the verb of its name, or by what it gives: nothing but sizes. Layers behind it are
    built by them; in `forward`, they could be asked of the input.

    Args:
        nodes: gives all nodes of a piece of code.
    """
    if PREPARATION.search(method.name):
        return True
    given = [part.value for part in nodes(method) if isinstance(part, ast.Return)]
    return bool(given) and all(value is not None and is_size(value) for value in given)


def is_size(node: ast.expr) -> bool:
    """Whether an expression gives a size, or several, of what it computes."""
    if isinstance(node, ast.Attribute):
        return node.attr in _SIZES
    if isinstance(node, ast.Subscript):
        return is_size(node.value)
    if isinstance(node, ast.Tuple):
        return all(map(is_size, node.elts))
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in _SIZE_METHODS
        return (
            isinstance(node.func, ast.Name)
            and node.func.id == "int"
            and all(map(is_size, node.args))
        )
    return False
