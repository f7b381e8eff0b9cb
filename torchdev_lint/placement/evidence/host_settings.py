"""Whether a file has the code of others run on the CPU, as tests do and what sets their device."""

from __future__ import annotations

import ast
from typing import TypeGuard

from torchdev_lint.catalog.devices import DEVICE_NAMES, HOST_TYPE
from torchdev_lint.placement.evidence.flags import is_asked_for
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.scripts import is_main_guard
from torchdev_lint.syntax.walking import walk


class HostSettings:
    """What a file tells the objects of others of the device that they are to use.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self.say_host = any(
            sets_device(node) and is_host(node.value) and not is_asked_for(syntax, node)
            for node in walk(syntax.tree)
        )
        """Whether it gives a setting that is called a device the CPU, on whatever machine."""


def sets_device(statement: ast.AST) -> TypeGuard[ast.Assign]:
    """Whether a statement sets an attribute or entry that is called a device."""
    return isinstance(statement, ast.Assign) and any(map(_is_setting, statement.targets))


def put_on_host(statement: ast.stmt) -> frozenset[str]:
    """Return the variables to which the script of a file gives the CPU for a device in the end.

    Functions of the file that the script calls have it then, and those that others call have not.
    """
    said: dict[str, ast.expr] = {}
    if is_main_guard(statement):
        for part in getattr(statement, "body", []):
            if isinstance(part, ast.Assign):
                said.update((to.id, part.value) for to in part.targets if isinstance(to, ast.Name))
    return frozenset(name for name, value in said.items() if is_host(value))


def _is_setting(target: ast.expr) -> bool:
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Constant) and target.slice.value in DEVICE_NAMES
    return isinstance(target, ast.Attribute) and target.attr in DEVICE_NAMES


def is_host(node: ast.expr) -> bool:
    """Whether an expression is the name of the CPU, or a device made of it."""
    if isinstance(node, ast.Call) and last_component(node.func) == "device" and node.args:
        node = node.args[0]
    return isinstance(node, ast.Constant) and node.value == HOST_TYPE
