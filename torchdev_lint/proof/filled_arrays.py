"""What is certainly an array of NumPy of which several elements are filled at once."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import TO_BE_FILLED
from torchdev_lint.proof.proof import Proof

_NUMBERS = frozenset({"float", "int", "bool"})
"""Builtins that are dtypes of numbers."""
_OBJECTS = frozenset({"object_", "dtype"})


def fills_array(proof: Proof, target: ast.Subscript) -> bool:
    """Return whether an assignment certainly fills several elements of an array of numbers.

    For a single element NumPy asks for a number, which a tensor gives wherever it is.

    Args:
        proof: what is certain of the file's names.
        target: what is assigned to.
    """
    if not isinstance(target.value, ast.Name):
        return False
    made = proof.values.values(target.value.id, target)
    return bool(made) and all(
        isinstance(call, ast.Call)
        and proof.values.library(call.func) in TO_BE_FILLED
        and _holds_numbers(call)
        and _has_several(target.slice, call)
        for call in made
    )


def _has_several(index: ast.expr, made: ast.Call) -> bool:
    """Whether an index leaves some axis of the array that a call has made."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if any(isinstance(part, ast.Slice) for part in parts):
        return True
    given = [keyword.value for keyword in made.keywords if keyword.arg == "shape"]
    shape = next(iter([*made.args[:1], *given]), None)
    if not isinstance(shape, (ast.Tuple, ast.List)):
        return False
    is_written_out = not any(isinstance(part, ast.Starred) for part in (*shape.elts, *parts))
    return is_written_out and len(parts) < len(shape.elts)


def _holds_numbers(made: ast.Call) -> bool:
    """Whether the dtype that an array is told is certainly one of numbers, or it is told none."""
    given = [keyword.value for keyword in made.keywords if keyword.arg in {"dtype", None}]
    return all(
        value.id in _NUMBERS
        if isinstance(value, ast.Name)
        else isinstance(value, ast.Attribute) and value.attr not in _OBJECTS
        for value in (*made.args[1:], *given)
    )
