"""Factories that are told where to put what they make, or whose tensors are moved at once.

A parameter for a device may be `None`, or name the host, where nobody names another one. Whether
anybody in the file leaves it at that shows only when all of the file has been seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from itertools import pairwise
from typing import TypeAlias

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.moves import MOVING, before_views, moved_at_once
from torchdev_lint.triage.recognition import MayBeHost, device_of, host_by_default, may_be_cpu

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Given: TypeAlias = "frozenset[str | int]"
"""Arguments of a call that are not `None` and don't name the host, by keyword or position."""
Called: TypeAlias = "tuple[str, bool]"
"""How a function is mentioned: its name, and whether as an attribute, as methods are."""


def parameters_awaited(
    factories: Iterable[ast.Call], code: ast.AST, may_be_host: MayBeHost
) -> set[str] | None:
    """Return which parameters somebody has to leave out if factories are to use the host.

    None if they use it in any case.

    Args:
        code: the function, class or module that they are in.
        may_be_host: tells of a variable whether it is a parameter that may name the host.
    """
    moved = _moved_next(code, may_be_host)
    replaced = _replaced_in(code) if isinstance(code, FUNCTIONS) else {}
    awaited: set[str] = set()
    for factory in factories:
        if factory in moved:
            continue
        device = device_of(factory)
        if isinstance(device, ast.Call) and device.args:
            device = device.args[0]
        if not isinstance(device, ast.Name) or not may_be_host(device.id):
            return None
        if factory.lineno <= replaced.get(device.id, factory.lineno):
            awaited.add(device.id)
    return awaited


def is_left_out(function: Function, is_method: bool, parameter: str, given: Given) -> bool:
    """Whether somebody may call a function and leave a parameter at its default.

    Args:
        is_method: whether it is defined in a class, so that positions say nothing for certain.
        given: what all that call it give.
    """
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    by_position = not is_method and parameter in names and names.index(parameter) in given
    return parameter not in given and not by_position


def given_in(
    code: ast.AST, names: Set[Called], may_be_host: MayBeHost
) -> Iterator[tuple[Called, Given]]:
    """Yield what code gives some functions and methods where it mentions them.

    What is mentioned without being called is given nothing for certain.

    Args:
        code: a function, or a class or module without its functions and classes.
        may_be_host: tells of a variable whether it is a parameter that may name the host.
    """
    called: dict[ast.AST, ast.Call] = {}
    mentioned: list[tuple[Called, ast.AST]] = []
    for root in _own_code(code):
        for node in walk(root):
            if isinstance(node, ast.Call):
                called[node.func] = node
            elif isinstance(node, (ast.Name, ast.Attribute)):
                mention = (last_component(node), isinstance(node, ast.Attribute))
                if mention in names:
                    mentioned.append((mention, node))
    for mention, node in mentioned:
        call = called.get(node)
        yield mention, frozenset() if call is None else _given(call, may_be_host)


def _given(call: ast.Call, may_be_host: MayBeHost) -> Given:
    arguments: list[tuple[str | int, ast.expr]] = [
        (keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None
    ]
    if not any(isinstance(argument, ast.Starred) for argument in call.args):
        arguments += enumerate(call.args)
    return frozenset(name for name, value in arguments if not may_be_cpu(value, may_be_host))


def _own_code(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, FUNCTIONS):
        yield node
        return
    for field in ("bases", "decorator_list", "body"):
        for part in getattr(node, field, ()):
            if not isinstance(part, (*FUNCTIONS, ast.ClassDef)):
                yield part


def _replaced_in(function: Function) -> dict[str, int]:
    """Return the lines from which on parameters that are `None` have the device of something.

    That is, in any case: `if device is None: device = x.device`.
    """
    may_be_none = {
        name
        for name, default in host_by_default(function.args).items()
        if isinstance(default, ast.Constant) and default.value is None
    }
    return {
        name: statement.lineno
        for statement in function.body
        if isinstance(statement, ast.If)
        and (name := _asked_for_none(statement.test)) in may_be_none
        and any(_gives_device(inner, name) for inner in statement.body)
    }


def _asked_for_none(test: ast.expr) -> str:
    """Return the variable of which a condition asks whether it is `None`."""
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)):
        return ""
    other = test.comparators[0]
    is_none = isinstance(other, ast.Constant) and other.value is None
    return test.left.id if is_none and isinstance(test.left, ast.Name) else ""


def _gives_device(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a variable the device of something."""
    if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Attribute)):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and target.id == name


def _moved_next(code: ast.AST, may_be_host: MayBeHost) -> set[ast.AST]:
    """Return what is made in one statement, and moved for good in the next.

    `x = torch.arange(4)` and then `x = x[None].to(y.device)`: nothing else sees it on the host.
    """
    found: set[ast.AST] = set()
    for block in _blocks(code):
        for first, second in pairwise(block):
            if isinstance(first, ast.Assign) and isinstance(second, ast.Assign):
                target = first.targets[-1]
                if isinstance(target, ast.Name) and len(first.targets) == 1:
                    if _moves(second, target.id, may_be_host):
                        found.add(before_views(first.value))
    return found


def _moves(statement: ast.Assign, name: str, may_be_host: MayBeHost) -> bool:
    """Whether a statement moves what a variable holds, and keeps only that in it."""
    target, value = statement.targets[0], statement.value
    if not (isinstance(target, ast.Name) and target.id == name and isinstance(value, ast.Call)):
        return False
    if not (isinstance(value.func, ast.Attribute) and value.func.attr in MOVING):
        return False
    moved = moved_at_once(value, value.func, may_be_host)
    if not (isinstance(moved, ast.Name) and moved.id == name):
        return False
    mentions = (part for part in walk(value) if isinstance(part, ast.Name) and part.id == name)
    return sum(1 for _ in mentions) == 1


def _blocks(code: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in walk(code):
        if isinstance(node, (ast.stmt, ast.Module)):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if block:
                    yield block
