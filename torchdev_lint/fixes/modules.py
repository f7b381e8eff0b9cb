"""Moving a module where it is built."""

from __future__ import annotations

import ast

from torchdev_lint.change import Fix, Stated
from torchdev_lint.fixes.devices import device_in_view
from torchdev_lint.fixes.new_tensors import moved_to
from torchdev_lint.fixes.styles import move_of_module
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.proof import Proof


def moved_to_what_it_meets(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that moves a module, where it is built, to what it is applied to."""
    node = meeting.origin.node
    device = device_in_view(facts, node, meeting.partner_node)
    if not isinstance(node, ast.Call) or device is None or meeting.origin.key is not None:
        return None
    proven = device.proven and facts.derived(Proof).modules.is_moved_like_any(node)
    return moved_to(facts, node, Stated(f".to({device.text})", proven))


def moved_where_built(facts: Facts, origin: Origin) -> Fix | None:
    """Return the fix that moves a module, as others are, in the expression that builds it."""
    node = origin.node
    if not isinstance(node, ast.Call) or origin.key is not None:
        return None
    move = move_of_module(facts, node)
    if move is None:
        return None
    stated = move.expression()
    proven = stated.proven and facts.derived(Proof).modules.is_moved_like_any(node)
    return moved_to(facts, node, Stated(stated.text, proven))
