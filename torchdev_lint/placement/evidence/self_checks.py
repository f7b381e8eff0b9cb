"""Methods by which modules are checked or exported on the CPU, where they were built."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence, Set

from torchdev_lint.catalog.factories import FACTORIES, LIKE
from torchdev_lint.placement.evidence.feeding import brings_back
from torchdev_lint.syntax.held import chain_held, held_once
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.reaching import reached_from
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
    moves = [
        (node.targets[0].id, node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and brings_back(node.value)
    ]
    held = held_once(nodes) if moves else {}
    brought = {name for name, move in moves if _is_made(move, held)}
    return bool(brought) and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and root_name(node.func) == me
        and any(isinstance(part, ast.Name) and part.id in brought for part in node.args)
        for node in nodes
    )


def _is_made(node: ast.expr, held: Mapping[str, ast.expr]) -> bool:
    """Whether methods of what a factory makes are called, one after the other.

    Args:
        held: what variables hold.
    """
    return any(
        isinstance(step, ast.Call) and last_component(step.func) in _MAKING
        for step in chain_held(node, held)
    )


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
    arrays = [
        node.func.value
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "numpy"
    ]
    results = _results(nodes, me) if arrays else frozenset()
    return any(_is_made_of(array, me, results) for array in arrays)


def _results(nodes: Sequence[ast.AST], me: str) -> frozenset[str]:
    """The variables that may hold what the module gives, or what is computed of it."""
    made_of: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            calls = {part.func for part in walk(node.value) if isinstance(part, ast.Call)}
            applied = any(
                isinstance(function, ast.Name) and function.id == me for function in calls
            )
            for name in {me} if applied else names_in(node.value) - {me}:
                made_of.setdefault(name, set()).add(node.targets[0].id)
    return frozenset(reached_from({me}, made_of))


def _is_made_of(array: ast.expr, me: str, results: Set[str]) -> bool:
    """Whether an array is made of what the module gives, without a move to the CPU.

    Args:
        me: what the module is called.
        results: the variables that hold what it gives.
    """
    parts = list(walk(array))
    if any(isinstance(part, ast.Call) and brings_back(part) for part in parts):
        return False
    calls = {part.func for part in parts if isinstance(part, ast.Call)}
    names = {part for part in parts if isinstance(part, ast.Name)}
    return any(name.id in results - {me} or (name.id == me and name in calls) for name in names)
