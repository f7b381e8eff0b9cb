"""Lengths of sequences, as code takes them from other lengths, or counts them."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.walking import walk

_KEEPS_LENGTHS = frozenset(
    "clamp clone contiguous detach flatten index_select int long reshape sort squeeze view".split()
)
"""Methods of lengths, or functions, that give lengths again, where they were."""
_COUNTS = frozenset({"sum", "count_nonzero"})
_PUTS = frozenset({"to", "cuda"})
_DEPTH = 4
"""How many variables are followed."""


def taken_from(value: ast.expr) -> ast.expr:
    """The expression whose elements another one gives, perhaps some, or in another order."""
    while True:
        if isinstance(value, ast.Subscript):
            value = value.value
            continue
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return value
        if value.func.attr not in _KEEPS_LENGTHS:
            return value
        is_function = value.args and dotted(value.func.value) == "torch"
        value = value.args[0] if is_function else value.func.value


def are_counted(function: ast.AST, lengths: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether a function itself counts lengths, or says where they are.

    Those that it is handed may be anywhere, whatever else it is handed.
    """
    source = taken_from(lengths)
    if isinstance(source, ast.Call):
        says = any(keyword.arg == "device" for keyword in source.keywords)
        return says or last_component(source.func) in _COUNTS | _PUTS
    if not isinstance(source, ast.Name) or not depth:
        return False
    given = (
        node.value
        for node in walk(function)
        if isinstance(node, ast.Assign) and _binds(node.targets[0], source.id)
    )
    return any(are_counted(function, value, depth - 1) for value in given)


def _binds(target: ast.expr, name: str) -> bool:
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)
