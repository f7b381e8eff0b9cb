"""Whether a device that code is told is the CPU, by all that the project gives for it."""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import TypeGuard

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.placement.evidence.host_settings import is_host
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.project.uses import uses_of_method
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.decided import on_the_way
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.private import class_around
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_MOST_STEPS = 8
"""Over how many variables, attributes, arguments and results a device is followed."""


def moves_to_host(file: ParsedFile, node: ast.AST) -> bool:
    """Return whether a node moves something to a device that is the CPU: `x.to(self.device)`.

    Args:
        file: the file it stands in.
    """
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    told = destination(node) if node.func.attr in MOVES_TO_DEVICE else None
    return told is not None and is_told_host(Placed(file, told))


def takes_host_for_device(file: ParsedFile, scope: str) -> bool:
    """Return whether a function takes a device, and all that the project gives for it is the CPU.

    Args:
        file: the file it stands in.
        scope: its dotted name.
    """
    function = file.derived(_functions).get(scope)
    if function is None:
        return False
    names = DEVICE_NAMES.intersection(each.arg for each in parameters_of(function))
    reads = [part for part in walk(function) if _reads_any(part, names)]
    return bool(reads) and all(is_told_host(Placed(file, read)) for read in reads)


def _functions(file: ParsedFile) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a file that take a device, by their dotted names."""
    functions = (node for node in walk(file.tree) if isinstance(node, FUNCTIONS))
    taking = (node for node in functions if _takes_device(node))
    return {file.syntax.scope_name(node): node for node in taking}


def _takes_device(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return not DEVICE_NAMES.isdisjoint(each.arg for each in parameters_of(function))


def _reads_any(node: ast.AST, names: Set[str]) -> TypeGuard[ast.Name]:
    """Whether something reads a variable of some names."""
    return isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)


@in_one_moment
def is_told_host(of: Placed, steps: int = _MOST_STEPS) -> bool:
    """Return whether an expression is the CPU, whoever of the project gives it.

    Args:
        steps: how far it is followed.
    """
    file, node = of
    if isinstance(node, ast.Call) and last_component(node.func) == "device" and node.args:
        node = node.args[0]
    if is_host(node):
        return True
    if not steps:
        return False
    if isinstance(node, ast.IfExp):
        taken = [node.orelse] if _is_off(file, node.test, steps) else [node.body, node.orelse]
        given = [Placed(file, part) for part in taken]
    elif isinstance(node, ast.Attribute):
        given = _kept(file, node, steps)
    else:
        given = made_of(Placed(file, node))
    return bool(given) and all(is_told_host(each, steps - 1) for each in given)


def _kept(file: ParsedFile, node: ast.Attribute, steps: int) -> list[Placed]:
    """What an object's attribute is given wherever that is told; empty: not all is known."""
    owner = class_around(node, file.syntax) if dotted(node.value) == "self" else None
    if owner is None or owner not in file.tree.body:
        return []
    uses = uses_of_method(file, owner.name, node.attr)
    if not uses.complete:
        return []
    found = list[Placed]()
    for user, use in uses.places:
        if isinstance(use, ast.Attribute) and isinstance(use.ctx, ast.Store):
            statement = user.syntax.parent(use)
            if not (isinstance(statement, ast.Assign) and use in statement.targets):
                return []
            needed = (test for test, holds in on_the_way(user.syntax, statement) if holds)
            if not any(_is_off(user, test, steps) for test in needed):
                found.append(Placed(user, statement.value))
    return found


def _is_off(file: ParsedFile, test: ast.expr, steps: int) -> bool:
    """Whether a condition, or one that holds with it, is a switch that nobody turns on."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_is_off(file, part, steps) for part in test.values)
    if isinstance(test, ast.Constant):
        return test.value is False
    given = made_of(Placed(file, test)) if steps and isinstance(test, ast.Name) else []
    return bool(given) and all(_is_off(each.file, each.node, steps - 1) for each in given)
