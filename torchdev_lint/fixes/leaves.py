"""Making leaves where they are to live."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.gradients import ASKS_FOR_GRADIENTS, LEAF_MAKERS
from torchdev_lint.change import Change, Fix, Insert, Replace, applicability
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.leaves import MovedLeaf
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
"""Expressions to which a method can be appended as they stand."""


def moved_before(facts: Facts, moved: MovedLeaf) -> Fix | None:
    """Return the fix that moves a tensor before it is made a leaf, None if nothing fits."""
    function = moved.node.func
    assert isinstance(function, ast.Attribute)
    made, whole = function.value, facts.text(moved.node)
    if isinstance(made, ast.Name):
        return _leaf_again(facts, moved)
    if not isinstance(made, ast.Call) or "#" in whole or facts.syntax.in_string(moved.node):
        return None
    move = whole.removeprefix(facts.text(made))
    sure = applicability(facts.derived(Proof).only_moves(moved.node))
    if last_component(made.func) in LEAF_MAKERS:
        data = _data(made)
        if data is None:
            return None
        changes = _moved_inside(facts, moved.node, made, data, move)
        return Fix("Move the tensor that the parameter is made of", sure, changes)
    text = _told_later(facts, made, move)
    return Fix("Ask for gradients after the move", sure, (Replace(facts.span(moved.node), text),))


def _leaf_again(facts: Facts, moved: MovedLeaf) -> Fix | None:
    """`w = w.to(device)` as `w = w.to(device).detach().requires_grad_()`."""
    statement = facts.syntax.parent(moved.node)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None  # a module would not take that for a parameter
    end = facts.span(moved.node)
    change = Insert(end.end_line, end.end_column, ".detach().requires_grad_()")
    return Fix("Make a leaf of the moved tensor", "unsafe", (change,))


def _data(made: ast.Call) -> ast.expr | None:
    """What a parameter is made of, if a method can be appended to that as it stands."""
    given = made.args or by_keyword(made, "data")
    return given[0] if given and isinstance(given[0], _ATOMS) else None


def _moved_inside(
    facts: Facts, node: ast.Call, made: ast.Call, data: ast.expr, move: str
) -> tuple[Change, ...]:
    """`Parameter(data).to(device)` as `Parameter(data.to(device))`."""
    inner, rest = facts.span(data), facts.span(node).behind(facts.span(made))
    return (Insert(inner.end_line, inner.end_column, move), Replace(rest, ""))


def _told_later(facts: Facts, made: ast.Call, move: str) -> str:
    """`randn(3, requires_grad=True).cuda()` as `randn(3).cuda().requires_grad_()`."""
    others = [keyword for keyword in made.keywords if keyword.arg != ASKS_FOR_GRADIENTS]
    given = ", ".join(facts.text(part) for part in (*made.args, *others))
    return f"{facts.text(made.func)}({given}){move}.requires_grad_()"
