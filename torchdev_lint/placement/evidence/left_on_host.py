"""Devices that a function is told, and that all of its callers in the project leave on the CPU."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.placement.evidence.devices import assigned
from torchdev_lint.placement.evidence.wrapped import may_be_wrapped
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition, defined_in
from torchdev_lint.project.uses import uses_of
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import argument_for, parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_MOST_CALLS = 16
"""How many calls are looked at."""
_MOST_CALLERS = 3
"""How many functions one behind the other may hand the device on."""


def is_left_on_host(
    file: ParsedFile, name: str, parameter: ast.arg, callers: int = _MOST_CALLERS
) -> bool:
    """Return whether a function is called, and each call in the project names the CPU.

    Or hands on the parameter of a function of which that is so.

    Args:
        file: the file at whose top it stands.
        name: what it is called.
        parameter: the parameter that is the device.
        callers: how many functions may hand it on, each to the one before.
    """
    function = defined_in(file, name)
    if not isinstance(function, FUNCTIONS) or may_be_wrapped(function):
        return False
    uses = uses_of(file, Definition(file.path, name))
    if not (uses.complete and 0 < len(uses.places) <= _MOST_CALLS):
        return False
    for user, node in uses.places:
        call = user.syntax.parent(node)
        if not isinstance(call, ast.Call) or call.func is not node:
            return False
        given = argument_for(file.syntax, call, parameter)
        home = user if given is not None and user.syntax.parent(given) is call else file
        if given is None:
            return False
        if not (_names_host(home.syntax, given) or _is_handed_on(home, given, callers)):
            return False
    return True


def _is_handed_on(file: ParsedFile, given: ast.expr, callers: int) -> bool:
    """Whether a function of a file hands on a parameter that its own callers leave on the CPU."""
    function = file.syntax.scope(given)
    if not (callers and isinstance(function, FUNCTIONS) and isinstance(given, ast.Name)):
        return False
    own = [part for part in parameters_of(function) if part.arg == given.id]
    if not own or file.syntax.bindings(given.id, function):
        return False
    return is_left_on_host(file, function.name, own[0], callers - 1)


def _names_host(syntax: Syntax, node: ast.expr) -> bool:
    """Whether an expression is `"cpu"`, its device, or a variable that holds nothing else."""
    if isinstance(node, ast.Constant):
        return node.value == HOST_TYPE
    if isinstance(node, ast.Call):
        is_device = last_component(node.func) == "device" and len(node.args) == 1
        return is_device and _names_host(syntax, node.args[0])
    values = assigned(syntax, node)
    if any(isinstance(value, ast.Name) for value in values):
        return False
    return bool(values) and all(_names_host(syntax, value) for value in values)
