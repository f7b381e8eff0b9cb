"""Moving a module back to where what it is applied to is."""

from __future__ import annotations

import ast

from torchdev_lint.change import Fix, InsertStatement
from torchdev_lint.fixes.devices import device_met, device_named
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.syntax.calls import destination, names_dtype
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import is_path

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
"""Statements that are run once each time, before which another one can stand."""


def moved_there_again(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that moves a module, which was brought to the CPU, before it is applied.

    It does nothing where the module is there. Whether what it is applied to was meant to be on the
    CPU as well is open, which makes it unsafe.
    """
    if meeting.elsewhere is not None:
        return _moved_again_at_once(facts, meeting)
    module, statement = meeting.host_node, facts.syntax.statement(meeting.node)
    if not isinstance(module, ast.expr) or not is_path(module) or facts.syntax.in_string(module):
        return None
    if not isinstance(statement, _SIMPLE):
        return None
    if facts.syntax.scope(module) is not facts.syntax.scope(statement):
        return None
    name, device = facts.text(module), _device(facts, meeting)
    if device is None or device.startswith(f"{name}."):
        return None
    return _moving(facts, name, device, statement)


def _moved_again_at_once(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that moves a module back, behind where it was brought to the CPU.

    That is for one that another file applies, where the file at hand has done so for a moment.
    """
    move = meeting.origin.node
    if meeting.node is not move or not isinstance(move, ast.Call):
        return None
    module, statement = getattr(move.func, "value", move), facts.syntax.statement(move)
    if not is_path(module) or not isinstance(statement, (ast.Assign, ast.Expr)):
        return None
    device = None if facts.syntax.in_string(move) else device_named(facts, move)
    if device is None:
        return None
    return _moving(facts, facts.text(module), device, statement, after=True)


def _moving(
    facts: Facts, module: str, device: str, statement: ast.stmt, after: bool = False
) -> Fix:
    """Move a module by a statement of its own, before or after another one."""
    text = f"{module}.to({device})"
    change = InsertStatement(facts.span(statement), text, after=after)
    return Fix(f"Add `{text}`", "unsafe", (change,))


def _device(facts: Facts, meeting: Meeting) -> str | None:
    """The device of what the module is applied to: where that is moved to, or what holds it."""
    partner = meeting.partner_node
    if isinstance(partner, ast.Call) and last_component(partner.func) == "to":
        told = destination(partner)
        if told is not None and is_path(told) and not names_dtype(told):
            return facts.text(told)
    named = device_named(facts, meeting.node)
    if named is not None:
        return named
    met = device_met(facts, meeting.node, partner, of_module=False)
    return None if met is None else met.text
