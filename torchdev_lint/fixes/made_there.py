"""Making a tensor where it is moved to at once."""

from __future__ import annotations

import ast

from torchdev_lint.change import AddArgument, Fix, Replace, applicability
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof


def made_there(facts: Facts, move: ast.Call, made: ast.Call, device: ast.expr) -> Fix | None:
    """Return the fix that tells a factory the device, instead of moving what it gives.

    Args:
        move: the call that moves it.
        made: the call of the factory.
        device: where it goes.
    """
    if facts.syntax.in_string(move):
        return None
    text = facts.text(device)
    kept = facts.span(made)
    proven = facts.derived(Proof).only_moves(move)
    changes = (AddArgument(kept, f"device={text}"), Replace(facts.span(move).behind(kept), ""))
    return Fix(f"Add `device={text}`", applicability(proven), changes)
