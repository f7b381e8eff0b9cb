"""Losses of which arrays are made: no gradient goes through an array."""

from __future__ import annotations

import ast
from bisect import bisect_left

from torchdev_lint.change import Fix, Replace
from torchdev_lint.placement.facts.conversions import Conversion
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.scopes import Syntax, own_nodes, root_name, stored

_ADDING = "sum"
"""The function of NumPy's that adds a list up, and that of Python's which does so with tensors."""
_MOST_STEPS = 500
"""How many steps behind a statement are gone through; behind more, gradients may be of anything."""


def is_learned_from(facts: Facts, conversion: Conversion) -> bool:
    """Return whether the program asks for the gradients of what it makes of an array.

    Of what it computes with that, by arithmetic alone: what functions are given may be targets.
    """
    statement = facts.syntax.statement(conversion.node)
    if not isinstance(statement, ast.Assign) or statement.value is not conversion.node:
        return False
    steps = facts.derived(_Steps).behind(statement)
    losses = stored(statement.targets[0])
    for node in steps[:_MOST_STEPS]:
        if isinstance(node, ast.Assign):
            losses |= stored(node.targets[0]) if losses & _operands(node.value) else set()
        elif _backward_of(node) in losses:
            return True
    return len(steps) > _MOST_STEPS


class _Steps:
    """The assignments of each function, and where it asks for gradients.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._known: dict[ast.AST, list[ast.Assign | ast.Call]] = {}

    def behind(self, statement: ast.stmt) -> list[ast.Assign | ast.Call]:
        """Return what stands in the lines behind a statement, in the order of the text.

        One more than are gone through, at the most; none if nothing asks for gradients there.
        """
        scope = self._syntax.scope(statement)
        if scope not in self._known:
            steps = [
                node
                for node in own_nodes(scope)
                if isinstance(node, ast.Assign)
                or (isinstance(node, ast.Call) and _backward_of(node))
            ]
            steps.sort(key=position)
            while steps and isinstance(steps[-1], ast.Assign):
                steps.pop()
            self._known[scope] = steps
        steps = self._known[scope]
        start = bisect_left(steps, (statement.lineno + 1, 0), key=position)
        return steps[start : start + _MOST_STEPS + 1]


def _backward_of(node: ast.AST) -> str | None:
    """Return the variable of whose value, or a part of it, a call asks for gradients."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return root_name(node.func.value) if node.func.attr == "backward" else None


def added_in_place(facts: Facts, conversion: Conversion) -> Fix | None:
    """Return the fix that adds a list of losses up where they are: with `sum`, not `np.sum`."""
    call = conversion.node
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return None
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr == _ADDING):
        return None
    if not conversion.parts[0].is_list or not facts.derived(Proof).bindings.is_builtin(
        _ADDING, call
    ):
        return None
    change = Replace(facts.span(function), _ADDING)
    return Fix(f"Use `{_ADDING}`, which adds them where they are", "safe", (change,))


def _operands(value: ast.expr) -> set[str]:
    """The variables with which an expression computes, but for those that it hands to functions."""
    if isinstance(value, ast.BinOp):
        return _operands(value.left) | _operands(value.right)
    return {value.id} if isinstance(value, ast.Name) else set()
