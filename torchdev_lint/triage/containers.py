"""Which functions may tell a plain container to move, going by names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.operations import ITEMIZED, PAIRS, PAIRS_BY_DIMENSION
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.scope import Scope

_DISPLAYS = (
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip
"""Expressions that make a container."""
_MAKERS = frozenset({"list", "tuple", "set", "dict", "sorted"}) | ITEMIZED | PAIRS
"""Functions and methods whose result is a container, by the last component of their names."""


def movers_of_containers(scopes: Sequence[Scope]) -> list[Scope]:
    """Return the functions that may tell a plain container to move."""
    moving = [scope for scope in scopes if not MOVES.isdisjoint(scope.mentions)]
    mentioned = set[str]().union(*(scope.mentions for scope in moving))
    making = _giving_containers(scope.node for scope in scopes if scope.name in mentioned)
    return [scope for scope in moving if _may_move_container(scope.node, making)]


def _may_move_container(scope: ast.AST, making: Set[str]) -> bool:
    """Whether a function, or a module, may move what it may have made a container.

    Args:
        making: the functions of the file that may give containers.
    """
    moved: set[str] = set()
    made: set[str] = set()
    for node in walk(scope):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr in MOVES:
                if _makes(function.value, making):
                    return True
                moved.add(last_component(function.value))
        else:
            made.update(_named(node, making))
    return not moved.isdisjoint(made - {""})


def _giving_containers(functions: Iterator[ast.AST]) -> set[str]:
    """Return the names of those functions that give containers, as their `return`s are written."""
    return {
        function.name
        for function in functions
        if isinstance(function, FUNCTIONS) and _gives_container(function)
    }


def _gives_container(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    made: set[str] = set()
    given: list[ast.expr] = []
    for node in walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            given.append(node.value)
        else:
            made.update(_named(node, frozenset()))
    return any(_makes(value, frozenset()) or last_component(value) in made for value in given)


def _named(node: ast.AST, making: Set[str]) -> Iterator[str]:
    """Yield the variables or attributes to which a statement gives a container."""
    if isinstance(node, ast.arguments):
        yield from (arg.arg for arg in (node.vararg, node.kwarg) if arg is not None)
    if isinstance(node, ast.AnnAssign) and node.value is not None and _makes(node.value, making):
        yield last_component(node.target)
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple):
                if _is_call_of(node.value, making):
                    yield from map(last_component, target.elts)
            elif _makes(node.value, making):
                yield last_component(target)


def _is_call_of(value: ast.expr, making: Set[str]) -> bool:
    return isinstance(value, ast.Call) and last_component(value.func) in making


def _makes(value: ast.expr, making: Set[str]) -> bool:
    if isinstance(value, ast.Call):
        name = last_component(value.func)
        if name in PAIRS_BY_DIMENSION:
            return bool(value.args or value.keywords)
        return name in _MAKERS or name in making
    return isinstance(value, _DISPLAYS)
