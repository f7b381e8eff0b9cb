"""Whether a project may tell a function the CPU for its device, by the calls in sight."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, AVAILABLE, HOST_TYPE
from torchdev_lint.placement.evidence.devices import is_of_tensor, type_named
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.walking import walk

_MOST_VARIABLES = 4
"""Over how many variables it is followed what a device is."""
_OPTION = "add_argument"
_ASKS = frozenset(name.rpartition(".")[2] for name in AVAILABLE)


def may_be_told_host(of: Placed, variables: int = _MOST_VARIABLES) -> bool:
    """Return whether something may be the CPU, by what the project gives it.

    Of a parameter that nobody in sight gives anything anybody may give the CPU. Where it is given
    something, that has to show it: a choice by what is there, the name of the CPU, an option.

    Args:
        of: the variable, such as a parameter, where it is read.
        variables: over how many others it is followed.
    """
    told = made_of(of) if variables else []
    return not told or any(_may_be_host(each, variables - 1) for each in told)


def _may_be_host(told: Placed, variables: int) -> bool:
    node = told.node
    if type_named(node) in ACCELERATOR_TYPES or is_of_tensor(node):
        return False
    if _names_choice(node):
        return True
    if isinstance(node, ast.Name):
        return may_be_told_host(told, variables)
    if isinstance(node, ast.Call) and last_component(node.func) == "device" and node.args:
        return _may_be_host(Placed(told.file, node.args[0]), variables)
    return isinstance(node, ast.Attribute) and _is_chosen(told.file, node)


def _names_choice(node: ast.AST) -> bool:
    """Whether an expression names the CPU, or asks what is there."""
    return any(
        (isinstance(part, ast.Constant) and part.value == HOST_TYPE)
        or (isinstance(part, ast.Attribute) and part.attr in _ASKS)
        for part in walk(node)
    )


def _is_chosen(file: ParsedFile, attribute: ast.Attribute) -> bool:
    """Whether a file gives an attribute what may be the CPU, or has users say what it is."""
    path = path_of(attribute)
    for node in walk(file.tree):
        if isinstance(node, ast.Assign) and any(path_of(each) == path for each in node.targets):
            if _names_choice(node.value) or isinstance(node.value, ast.Name):
                return True
        elif isinstance(node, ast.Call) and last_component(node.func) == _OPTION:
            named = (arg.value for arg in node.args if isinstance(arg, ast.Constant))
            if any(str(name).lstrip("-") == attribute.attr for name in named):
                return True
    return False
