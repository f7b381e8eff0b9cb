"""Whether callers, also in other files, name published weights for what a function reads."""

from __future__ import annotations

import ast

from torchdev_lint.placement.evidence.stems import is_published
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of, uses_of_method
from torchdev_lint.syntax.parameters import argument_for, default_of, parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS

_MOST_CALLERS = 3
"""Through how many functions a path is followed, each called by the next."""
_CONSTRUCTOR = "__init__"


def is_published_for_callers(file: ParsedFile, path: ast.expr, most: int = _MOST_CALLERS) -> bool:
    """Return whether a path is a parameter, and some caller or its default names published weights.

    Args:
        file: the file that reads them, parsed.
        path: the expression that says where they are.
        most: through how many functions to follow it.
    """
    function = file.syntax.scope(path)
    if not isinstance(path, ast.Name) or not isinstance(function, FUNCTIONS):
        return False
    parameter = next((p for p in parameters_of(function) if p.arg == path.id), None)
    if parameter is None:
        return False
    default = default_of(file.syntax, parameter)
    if default is not None and is_published(default):
        return True
    owner = file.syntax.scope(function)
    is_method = isinstance(owner, ast.ClassDef)
    for user, node in _uses(file, function, owner) if most else ():
        call = user.syntax.parent(node)
        if isinstance(call, ast.Call) and call.func is node:
            given = argument_for(file.syntax, call, parameter, is_method)
            if given is None or given is default:
                continue
            if is_published(given) or is_published_for_callers(user, given, most - 1):
                return True
    return False


def _uses(
    file: ParsedFile, function: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.AST
) -> list[tuple[ParsedFile, ast.expr]]:
    """Where a function is named that stands at the top of its file, or in a class that does."""
    if owner is file.tree:
        return uses_of(file, Definition(file.path, function.name)).places
    if not isinstance(owner, ast.ClassDef) or file.syntax.scope(owner) is not file.tree:
        return []
    if function.name == _CONSTRUCTOR:
        return uses_of(file, Definition(file.path, owner.name)).places
    return uses_of_method(file, owner.name, function.name).places
