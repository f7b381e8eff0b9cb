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
_MOST_CLASSES = 8
"""Of how many classes, each an heir of one before, it is asked who builds them."""


def is_built_on_device(file: ParsedFile, name: str) -> bool:
    """Return whether some code of a project builds a class, or an heir, under a device as context.

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device

    Args:
        file: the file of the class.
        name: its name.
    """
    pending, asked = [(file, name)], set[tuple[str, str]]()
    while pending and len(asked) < _MOST_CLASSES:
        home, cls = pending.pop()
        if (home.path, cls) in asked:
            continue
        asked.add((home.path, cls))
        for user, node in uses_of(home, Definition(home.path, cls)).places:
            if _is_under_device(user.syntax, node):
                return True
            heir = user.syntax.parent(node)
            if isinstance(heir, ast.ClassDef) and node in heir.bases:
                pending.append((user, heir.name))
    return False


def _is_under_device(syntax: Syntax, node: ast.expr) -> bool:
    """Whether a device is entered around an expression."""
    blocks = (part for part in syntax.around(node) if isinstance(part, _BLOCKS))
    return any(_is_device(item.context_expr) for block in blocks for item in block.items)


def _is_device(node: ast.expr) -> bool:
    """Whether what is entered is a device, by what it is called: nothing is claimed of it."""
    if isinstance(node, ast.Call):
        return (dotted(node.func) or "") in _DEVICE
    return says_device(last_component(node))
