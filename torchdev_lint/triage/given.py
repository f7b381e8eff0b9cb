"""What functions are given, going by their parameters alone."""

from __future__ import annotations

import ast
import re

from torchdev_lint.catalog.factories import CONVERTERS, TENSOR_CLASSES
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import parameter_names
from torchdev_lint.syntax.walking import walk

_WORD = re.compile(r"\w+")


def may_be_given_tensors(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function has a parameter that may be a tensor.

    That is one whose annotation names a class of tensors, or one without any, other than the
    object that a method is called on.
    """
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    if given.vararg is not None:
        parameters.append(given.vararg)
    if parameters and parameters[0].arg in {"self", "cls"}:
        del parameters[0]
    return any(_may_be_tensor(parameter.annotation) for parameter in parameters)


def converts_given(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function makes a tensor of a parameter: only who calls it knows of what.

    It may be a tensor already, which stays where it is.
    """
    names = parameter_names(function)
    return any(
        isinstance(node, ast.Call)
        and last_component(node.func) in CONVERTERS
        and isinstance(given := node.args[0] if node.args else None, ast.Name)
        and given.id in names
        for node in walk(function)
    )


def _may_be_tensor(annotation: ast.expr | None) -> bool:
    return annotation is None or any(
        not TENSOR_CLASSES.isdisjoint(_words(part)) for part in walk(annotation)
    )


def _words(part: ast.AST) -> list[str]:
    """The names in a part of an annotation, which may be written as a string."""
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        return _WORD.findall(part.value)
    return [last_component(part)] if isinstance(part, (ast.Name, ast.Attribute)) else []
