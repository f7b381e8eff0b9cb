"""Whether a project gives a function none but models that stay where they are built: on the CPU."""

from __future__ import annotations

import ast

from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.unmoved_models import stays_where_built
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk


def takes_unmoved_model(file: ParsedFile, scope: str) -> bool:
    """Return whether a function calls a model it is given, which nothing of the project moves.

    Args:
        file: the file it stands in.
        scope: its dotted name.
    """
    called = file.derived(_called_parameters).get(scope, ())
    return any(stays_where_built(Placed(file, parameter)) for parameter in called)


def _called_parameters(file: ParsedFile) -> dict[str, list[ast.Name]]:
    """The parameters that the functions of a file call, by the dotted names of these."""
    found: dict[str, list[ast.Name]] = {}
    for node in walk(file.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        function = file.syntax.scope(node)
        if isinstance(function, FUNCTIONS):
            if any(parameter.arg == node.func.id for parameter in parameters_of(function)):
                found.setdefault(file.syntax.scope_name(function), []).append(node.func)
    return found
