"""Whether callers, also in other files, name published weights for what a function reads."""

from __future__ import annotations

import ast

from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.placement.evidence.host_files import MOST_FILES
from torchdev_lint.placement.evidence.stems import is_published
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.users import files_that_name
from torchdev_lint.project.uses import uses_of, uses_of_method
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import argument_for, default_of, parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

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
            if any(_is_published(user, each) for each in _meant_by(user, given)):
                return True
            if is_published_for_callers(user, given, most - 1):
                return True
    return False


def _meant_by(file: ParsedFile, given: ast.expr) -> list[ast.expr]:
    """What an argument is, or what the function around it gives the variable that it is.

    Of an entry, what the file gives the table that it is of: `urls[name]`.
    """
    if isinstance(given, ast.Subscript) and isinstance(given.value, ast.Name):
        return file.syntax.derived(Given).of(file.tree).get(given.value.id, [])
    if not isinstance(given, ast.Name):
        return [given]
    return file.syntax.derived(Given).held_by(given)


def _is_published(file: ParsedFile, path: ast.expr) -> bool:
    """Whether a path names published weights, or a setting of the project which does so."""
    if is_published(path):
        return True
    return isinstance(path, ast.Attribute) and _is_set_to_published(file.path, path.attr)


@remembered
def _is_set_to_published(path: str, setting: str) -> bool:
    """Whether an assignment in a project sets an attribute to published weights.

    Args:
        path: a file of the project, absolute.
        setting: the attribute's name.
    """
    files = (parsed_file(each) for each in files_that_name(path, (setting,)).files[:MOST_FILES])
    return any(
        isinstance(node, ast.Assign)
        and last_component(node.targets[0]) == setting
        and is_published(node.value)
        for file in filter(None, files)
        for node in walk(file.tree)
    )


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
