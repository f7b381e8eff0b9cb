"""Modules that are left on the host, and meet what is on the accelerator as a whole."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Instance
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import short

OF_WHOLE = frozenset({OriginKind.MODULE, OriginKind.PUT_BACK})
"""What puts, or leaves, a module on the host with all its parts."""


def module_meeting(
    run: Run, origin: Origin, node: ast.AST, partner: ast.AST, given: bool = False
) -> Meeting:
    """Return what happens where a module on the host is applied to a value on the accelerator.

    One that was never moved, or moved back, is applied where it is called as a whole.

    Args:
        node: the operation that fails.
        partner: the value's expression.
        given: whether that is where the entry point was given its tensors.
    """
    whole = run.applied if origin.kind in OF_WHOLE else None
    if whole is not None:
        node, partner = whole[0], whole[1].node
    applied = node.func if isinstance(node, ast.Call) else node
    return Meeting(
        operation=short(applied),
        node=node,
        host=None,
        origin=origin,
        host_node=applied,
        partner_text=short(partner),
        partner_node=partner,
        module_call=False,
        scope=run.frame.scope,
        in_forward=run.frame.in_forward and whole is None,
        given=run.entry if given else None,
    )


def is_still_there(run: Run, origin: Origin) -> bool:
    """Return whether some module that a construction gave has not been moved since.

    Args:
        origin: the construction.
    """
    run.budget.visited(len(run.env.heap))
    there = (obj.origin for obj in run.env.heap.values())
    return any(found is not None and found.identity == origin.identity for found in there)


def is_of_module_at_hand(run: Run, origin: Origin) -> bool:
    """Return whether the code at hand is that of a module that came to be by a construction.

    Args:
        origin: the construction.
    """
    bound = (frame.bound for frame in run.frames)
    objects = [run.obj(value) for value in bound if isinstance(value, Instance)]
    return any(obj.origin is not None and obj.origin.identity == origin.identity for obj in objects)
