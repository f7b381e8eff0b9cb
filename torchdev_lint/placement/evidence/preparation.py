"""Methods of modules that belong to the time before the module is moved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from torchdev_lint.catalog.modules import PREPARATION
from torchdev_lint.syntax.held import held_once
from torchdev_lint.syntax.names import dotted

_SIZES = frozenset({"shape", "ndim"})
_SIZE_METHODS = frozenset({"size", "numel", "dim"})
_OF_NUMBERS = frozenset(
    {"int", "list", "tuple", "math.prod", "np.prod", "numpy.prod", "torch.Size", "Size"}
)
"""Functions that make a number, or several, of sizes."""


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
    parts = nodes(method)
    given = [part.value for part in parts if isinstance(part, ast.Return)]
    held = held_once(parts) if given else {}
    return bool(given) and all(value is not None and is_size(value, held) for value in given)


def is_size(node: ast.expr, held: Mapping[str, ast.expr]) -> bool:
    """Whether an expression gives a size, or several, of what it computes.

    Args:
        held: what variables hold that are given a value once.
    """
    if isinstance(node, ast.Name):
        others = {name: value for name, value in held.items() if name != node.id}
        return node.id in held and is_size(held[node.id], others)
    if isinstance(node, ast.Attribute):
        return node.attr in _SIZES
    if isinstance(node, ast.Subscript):
        return is_size(node.value, held)
    if isinstance(node, ast.Tuple):
        return all(is_size(part, held) for part in node.elts)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SIZE_METHODS:
            return True
        called = dotted(node.func)
        return called in _OF_NUMBERS and all(is_size(part, held) for part in node.args)
    return False
