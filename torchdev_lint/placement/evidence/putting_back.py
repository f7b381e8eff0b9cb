"""Moves of a module to the CPU on some paths only: whether it may be applied after that."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import MODULE_MOVES
from torchdev_lint.placement.evidence.flags import is_asked_for
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import COMPREHENSIONS, FUNCTIONS, LOOPS, Syntax
from torchdev_lint.syntax.walking import walk

_ORDER = (ast.Eq, ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.NotEq)
"""How numbers are compared."""
_COPIES = frozenset({"deepcopy", "clone"})
"""Functions that give a copy of a module with all its parts."""


def is_built_again(syntax: Syntax, node: ast.AST) -> bool:
    """Return whether an expression is evaluated more than once where it stands, in its function.

    Args:
        syntax: the file's tree.
        node: what builds a module, or the call that leads to it.
    """
    for part in syntax.around(node):
        if isinstance(part, (*FUNCTIONS, ast.Lambda)):
            return isinstance(part, ast.Lambda)
        if isinstance(part, (*LOOPS, *COMPREHENSIONS)):
            return True
    return False


def is_named_copy(syntax: Syntax, node: ast.AST) -> bool:
    """Return whether what is moved is a copy, made for that, which gets a name: `best = ...`.

    Args:
        syntax: the file's tree.
        node: the move.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    moved, statement = node.func.value, syntax.parent(node)
    if not isinstance(moved, ast.Call) or last_component(moved.func) not in _COPIES:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return bool(targets) and all(isinstance(t, (ast.Name, ast.Attribute)) for t in targets)


def is_left_to_others(syntax: Syntax, node: ast.AST) -> bool:
    """Return whether what decides about a move to the CPU may decide about more.

    That is a condition about devices, one that has the module moved elsewhere in the other case, or
    one that tells the round of a loop by its number, which may be the last one.

    Args:
        syntax: the file's tree.
        node: the move, or the call that leads to it.
    """
    if is_asked_for(syntax, node):
        return True
    child = node
    conditions: list[ast.expr] = []
    for part in syntax.around(node):
        if isinstance(part, ast.If):
            others = part.orelse if child in part.body else part.body
            if any(_moves(each) for statement in others for each in walk(statement)):
                return True
            conditions.append(part.test)
        elif isinstance(part, LOOPS):
            told_by = part.test if isinstance(part, ast.While) else part.target
            numbers = {name.id for name in walk(told_by) if isinstance(name, ast.Name)}
            if any(_tells_round(test, numbers) for test in conditions):
                return True
        child = part
    return False


def _moves(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in MODULE_MOVES


def _tells_round(test: ast.expr, numbers: set[str]) -> bool:
    """Whether a condition compares the number of a round: not what is left over of it.

    Nor if it holds in other rounds as well.
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return all(_tells_round(part, numbers) for part in test.values)
    for part in walk(test):
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], _ORDER):
            named = {n.id for n in walk(part) if isinstance(n, ast.Name)}
            if named & numbers and not any(map(_is_left_over, walk(part))):
                return True
    return False


def _is_left_over(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
