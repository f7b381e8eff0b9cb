"""Whether a project builds a class where factories put what they make on a device."""

from __future__ import annotations

import ast

from torchdev_lint.placement.evidence.flags import says_device
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of, uses_of_method
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_DEVICE = frozenset({"torch.device", "device"})
_BLOCKS = (ast.With, ast.AsyncWith)
_SCOPES = (*FUNCTIONS, ast.ClassDef)
_MOST_METHODS = 8
"""How many methods are asked about, each called by the one before."""
_RUN_BY_PYTORCH = frozenset({"", "__init__", "__call__", "forward"})
"""Methods that nobody calls by their names."""


def is_built_on_device(file: ParsedFile, name: str) -> bool:
    """Return whether some code of a project builds a class under a device as context.

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device

    Args:
        file: the file of the class.
        name: its name.
    """
    places = uses_of(file, Definition(file.path, name)).places
    return any(_is_under_device(user.syntax, node) for user, node in places)


def is_run_on_device(file: ParsedFile, scope: str) -> bool:
    """Return whether some code of a project has a method called under a device as context.

    Args:
        file: the file of its class.
        scope: the method: `Attention.allocate`.
    """
    pending, asked = [(file, scope)], set[tuple[str, str]]()
    while pending:
        file, scope = pending.pop()
        owner, _, method = scope.partition(".")
        if (file.path, scope) in asked or len(asked) == _MOST_METHODS or method in _RUN_BY_PYTORCH:
            continue
        asked.add((file.path, scope))
        for user, node in uses_of_method(file, owner, method).places:
            if _is_under_device(user.syntax, node):
                return True
            if (caller := _method_around(user.syntax, node)) is not None:
                pending.append((user, caller))
    return False


def _method_around(syntax: Syntax, node: ast.expr) -> str | None:
    """The method of a class at the top of a file that an expression is in."""
    *inner, outer = (part for part in syntax.around(node) if isinstance(part, _SCOPES))
    is_method = isinstance(outer, ast.ClassDef) and inner and isinstance(inner[-1], FUNCTIONS)
    return f"{outer.name}.{inner[-1].name}" if is_method else None


def _is_under_device(syntax: Syntax, node: ast.expr) -> bool:
    """Whether a device is entered around an expression."""
    blocks = (part for part in syntax.around(node) if isinstance(part, _BLOCKS))
    return any(_is_device(item.context_expr) for block in blocks for item in block.items)


def _is_device(node: ast.expr) -> bool:
    """Whether what is entered is a device, by what it is called: nothing is claimed of it."""
    if isinstance(node, ast.Call):
        return (dotted(node.func) or "") in _DEVICE
    return says_device(last_component(node))
