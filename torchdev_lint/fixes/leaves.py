"""Making leaves where they are to live."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.gradients import ASKS_FOR_GRADIENTS, LEAF_MAKERS
from torchdev_lint.change import Fix, Replace, applicability
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.leaves import MovedLeaf
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import last_component

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
"""Expressions to which a method can be appended as they stand."""


def moved_before(facts: Facts, moved: MovedLeaf) -> Fix | None:
    """Return the fix that moves a tensor before it is made a leaf, None if nothing fits."""
    function = moved.node.func
    assert isinstance(function, ast.Attribute)
    made, whole = function.value, facts.text(moved.node)
    if not isinstance(made, ast.Call) or "#" in whole or facts.syntax.in_string(moved.node):
        return None
    move = whole.removeprefix(facts.text(made))
    sure = facts.derived(Proof).only_moves(moved.node)
    if last_component(made.func) in LEAF_MAKERS:
        text = _parameter(facts, made, move)
        message = "Move the tensor that the parameter is made of"
    else:
        text = _told_later(facts, made, move)
        message = "Ask for gradients after the move"
    if text is None:
        return None
    return Fix(message, applicability(sure), (Replace(facts.span(moved.node), text),))


def _parameter(facts: Facts, made: ast.Call, move: str) -> str | None:
    """`Parameter(data).to(device)` as `Parameter(data.to(device))`."""
    if not made.args or not isinstance(made.args[0], _ATOMS):
        return None
    first, *others = [facts.text(part) for part in (*made.args, *made.keywords)]
    return f"{facts.text(made.func)}({', '.join([first + move, *others])})"


def _told_later(facts: Facts, made: ast.Call, move: str) -> str | None:
    """`randn(3, requires_grad=True).cuda()` as `randn(3).cuda().requires_grad_()`."""
    others = [keyword for keyword in made.keywords if keyword.arg != ASKS_FOR_GRADIENTS]
    given = ", ".join(facts.text(part) for part in (*made.args, *others))
    return f"{facts.text(made.func)}({given}){move}.requires_grad_()"
