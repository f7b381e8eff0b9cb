"""Methods by which modules are checked or exported on the CPU, where they were built."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.catalog.factories import FACTORIES, LIKE
from torchdev_lint.placement.evidence.feeding import brings_back
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk

_MAKING = {name.rpartition(".")[2] for name in FACTORIES} | LIKE


def is_run_where_built(
    method: ast.FunctionDef | ast.AsyncFunctionDef, nodes: Sequence[ast.AST]
) -> bool:
    """Whether a method, which no framework calls, only works while its module is on the CPU.

    Args:
        nodes: all of the method.
    """
    return checks_itself(method, nodes) or _feeds_parts_on_host(method, nodes)


def _feeds_parts_on_host(
    method: ast.FunctionDef | ast.AsyncFunctionDef, nodes: Sequence[ast.AST]
) -> bool:
    """Whether a method applies parts of its module to what it makes and brings to the CPU.

    What it makes is there anyhow: that it is brought there says where the module is.
    """
    parameters = [*method.args.posonlyargs, *method.args.args]
    me = parameters[0].arg if parameters else ""
    brought = {
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and brings_back(node.value)
        and _is_made(node.value)
    }
    return bool(brought) and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and root_name(node.func) == me
        and any(isinstance(part, ast.Name) and part.id in brought for part in node.args)
        for node in nodes
    )


def _is_made(node: ast.expr) -> bool:
    """Whether methods of what a factory makes are called, one after the other."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _MAKING and isinstance(node.func.value, ast.Name):
            return True
        node = node.func.value
    return isinstance(node, ast.Call) and last_component(node.func) in _MAKING


def checks_itself(method: ast.FunctionDef | ast.AsyncFunctionDef, nodes: Sequence[ast.AST]) -> bool:
    """Whether a method makes up what it applies its module to, and arrays of what that gives.

    That can only be done where the module is on the CPU. A method that has to be given something
    is called in the course of a program, where it fails as soon as the model has been moved.

    Args:
        nodes: all of the method.
    """
    given = method.args
    required = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    if required != 1 or None in given.kw_defaults or given.vararg is not None:
        return False
    me = (given.posonlyargs or given.args)[0].arg
    results: set[str] = set()
    arrays: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if _applies(node.value, me):
                results.add(node.targets[0].id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "numpy":
                arrays.append(node.func.value)
    return any(_is_made_of(array, me, results) for array in arrays)


def _applies(node: ast.AST, me: str) -> bool:
    """Whether something in an expression is what the module itself gives."""
    calls = (part.func for part in walk(node) if isinstance(part, ast.Call))
    return any(isinstance(function, ast.Name) and function.id == me for function in calls)


def _is_made_of(array: ast.expr, me: str, results: set[str]) -> bool:
    """Whether an array is made of what the module gives, without a move to the CPU.

    Args:
        me: what the module is called.
        results: the variables that hold what it gives.
    """
    parts = list(walk(array))
    if any(isinstance(part, ast.Call) and brings_back(part) for part in parts):
        return False
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return not names.isdisjoint(results) or _applies(array, me)
