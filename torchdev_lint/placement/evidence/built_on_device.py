"""Whether a project builds a class where factories put what they make on a device."""

from __future__ import annotations

import ast

from torchdev_lint.placement.evidence.flags import says_device
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import Syntax

_DEVICE = frozenset({"torch.device", "device"})
_BLOCKS = (ast.With, ast.AsyncWith)


def is_built_on_device(file: ParsedFile, name: str) -> bool:
    """Return whether some code of a project builds a class under a device as context.

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device

    Args:
        file: the file of the class.
        name: its name.
    """
    places = uses_of(file, Definition(file.path, name)).places
    return any(_is_under_device(user.syntax, node) for user, node in places)


def _is_under_device(syntax: Syntax, node: ast.expr) -> bool:
    """Whether a device is entered around an expression."""
    blocks = (part for part in syntax.around(node) if isinstance(part, _BLOCKS))
    return any(_is_device(item.context_expr) for block in blocks for item in block.items)


def _is_device(node: ast.expr) -> bool:
    """Whether what is entered is a device, by what it is called: nothing is claimed of it."""
    if isinstance(node, ast.Call):
        return (dotted(node.func) or "") in _DEVICE
    return says_device(last_component(node))
