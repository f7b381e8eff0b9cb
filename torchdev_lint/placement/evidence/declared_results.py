"""What the annotation of a function's result says of the variables that it gives back."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS

_STREAMS = frozenset(
    "Iterator Iterable Generator AsyncIterator AsyncIterable AsyncGenerator".split()
)
"""What functions that yield are annotated with, what they yield being the first in brackets."""
_TUPLES = frozenset({"tuple", "Tuple"})


def is_given_back_as_tensor(
    name: str, function: ast.AST, given_back: Iterable[ast.Return | ast.Yield]
) -> bool:
    """Return whether a variable is given back where the annotation says that this is a tensor.

    Args:
        name: the variable.
        function: the function.
        given_back: where it gives back what may be the value in question.
    """
    declared = function.returns if isinstance(function, FUNCTIONS) else None
    if declared is None:
        return False
    for node in given_back:
        if isinstance(node, ast.Return) and _is_told(name, node.value, declared):
            return True
        if isinstance(node, ast.Yield) and last_component(_head(declared)) in _STREAMS:
            if _is_told(name, node.value, _arguments(declared)[0]):
                return True
    return False


def _is_told(name: str, given: ast.expr | None, declared: ast.expr) -> bool:
    """Whether an annotation says of what is given back that a variable in it is a tensor."""
    if isinstance(given, ast.Name):
        return given.id == name and is_tensor_class(declared)
    parts = _arguments(declared) if last_component(_head(declared)) in _TUPLES else []
    if not isinstance(given, ast.Tuple) or len(parts) != len(given.elts):
        return False
    return any(_is_told(name, g, d) for g, d in zip(given.elts, parts, strict=True))


def is_tensor_class(declared: ast.expr) -> bool:
    """Return whether an annotation names a class of tensors, perhaps beside `None`."""
    if isinstance(declared, ast.BinOp):
        sides = [s for s in (declared.left, declared.right) if not _is_none(s)]
        return all(map(is_tensor_class, sides))
    if isinstance(declared, ast.Subscript):
        return last_component(declared.value) == "Optional" and is_tensor_class(declared.slice)
    return last_component(declared) in TENSOR_CLASSES


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _head(declared: ast.expr) -> ast.expr:
    return declared.value if isinstance(declared, ast.Subscript) else declared


def _arguments(declared: ast.expr) -> list[ast.expr]:
    """What stands in the brackets of an annotation, itself if it has none."""
    if not isinstance(declared, ast.Subscript):
        return [declared]
    inside = declared.slice
    return list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
