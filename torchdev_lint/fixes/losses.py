"""Losses of which arrays are made: no gradient goes through an array."""

from __future__ import annotations

import ast

from torchdev_lint.change import Fix, Replace
from torchdev_lint.placement.facts.conversions import Conversion
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.scopes import own_nodes, root_name, stored

_ADDING = "sum"
"""The function of NumPy's that adds a list up, and that of Python's which does so with tensors."""


def is_learned_from(facts: Facts, conversion: Conversion) -> bool:
    """Return whether the program asks for the gradients of what it makes of an array.

    Of what it computes with that, by arithmetic alone: what functions are given may be targets.
    """
    statement = facts.syntax.statement(conversion.node)
    if not isinstance(statement, ast.Assign) or statement.value is not conversion.node:
        return False
    losses = stored(statement.targets[0])
    later = [
        node
        for node in own_nodes(facts.syntax.scope(statement))
        if isinstance(node, (ast.Assign, ast.Call)) and node.lineno > statement.lineno
    ]
    for node in sorted(later, key=lambda node: (node.lineno, node.col_offset)):
        if isinstance(node, ast.Assign):
            losses |= stored(node.targets[0]) if losses & _operands(node.value) else set()
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
            if root_name(node.func.value) in losses:
                return True
    return False


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
