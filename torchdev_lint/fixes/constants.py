"""Moving what is made once, at import, where a function reads it."""

from __future__ import annotations

import ast

from torchdev_lint.change import Fix, Stated
from torchdev_lint.fixes.devices import device_in_view
from torchdev_lint.fixes.new_tensors import is_written_to, moved_at_meeting, moved_to
from torchdev_lint.fixes.styles import move_for
from torchdev_lint.placement.domain.origins import Keeping, Origin
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.walking import walk


def moved_constant(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that moves a constant to the device of what it meets, where it is read.

    If no device is in sight there, it is moved where they meet.
    """
    read = meeting.origin.node
    if not isinstance(read, ast.expr) or is_written_to(facts, read):
        return None
    device = device_in_view(facts, read, meeting.partner_node)
    if device is None:
        return moved_at_meeting(facts, meeting) or _moved_as_usual(facts, read)
    sure = device.proven and _is_tensor(facts, read, meeting.origin)
    return moved_to(facts, read, Stated(f".to({device.text})", sure))


def _moved_as_usual(facts: Facts, read: ast.expr) -> Fix | None:
    """The fix that moves it as the file moves its other values."""
    move = move_for(facts, None, read)
    return None if move is None else moved_to(facts, read, Stated(move.expression().text, False))


def _is_tensor(facts: Facts, read: ast.expr, origin: Origin) -> bool:
    """Whether what is read certainly is a tensor, by its own file or by the one that keeps it."""
    if facts.derived(Proof).tensors.is_tensor(read):
        return True
    keeper = origin.keeper
    if keeper is None or keeper.inside or keeper.kind is Keeping.DEFAULT:
        return False
    if keeper.file is origin.file:
        proof, tree = facts.derived(Proof), facts.tree
    else:
        file = parsed_code(keeper.file)
        if file is None:
            return False
        proof, tree = file.syntax.derived(Proof), file.tree
    scopes: list[ast.AST] = [tree]
    if keeper.kind is Keeping.CLASS:
        scopes = [node for node in walk(tree) if isinstance(node, ast.ClassDef)]
    keeping = [scope for scope in scopes if proof.binds(keeper.name, scope)]
    return len(keeping) == 1 and proof.tensors.is_kept_by(keeper.name, keeping[0])
