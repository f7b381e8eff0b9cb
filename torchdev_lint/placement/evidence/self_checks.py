"""Methods with which modules check themselves, on the CPU, where they were built."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.placement.evidence.feeding import brings_back
from torchdev_lint.syntax.walking import walk


def checks_itself(method: ast.FunctionDef | ast.AsyncFunctionDef, nodes: Iterable[ast.AST]) -> bool:
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
