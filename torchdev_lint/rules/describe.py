"""How findings about a meeting are put into words."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchdev_lint.finding import Finding, Related
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.syntax.names import short

if TYPE_CHECKING:
    from torchdev_lint.placement.facts.events import Facts, Meeting
    from torchdev_lint.rules.base import Rule


def maker(origin: Origin) -> str:
    """Return what made a value, as a message calls it."""
    label = origin.root.label
    return label if origin.kind is OriginKind.ENCODING else f"`{label}`"


def meeting_finding(rule: Rule, facts: Facts, meeting: Meeting, node: ast.AST) -> Finding:
    """Make the finding for a host tensor, reported where it is made.

    Args:
        rule: the rule that reports it.
        facts: what is known of the file.
        meeting: the operation that fails.
        node: where the host tensor is made: the primary location.
    """
    line = facts.span(meeting.node).line
    host = meeting.host_node
    known_as = f" as `{short(host)}`" if isinstance(host, ast.Name) else ""
    partner = f"`{meeting.partner_text}`"
    if meeting.module_call:
        event = f"is passed to {partner} (on the model's device) on line {line}"
        there = f"is passed to {partner} here"
    else:
        event = f"meets {partner} (on the model's device) in `{meeting.operation}` on line {line}"
        there = f"meets {partner} here"
    message = f"{maker(meeting.origin)} makes a tensor on the CPU here, which{known_as} {event}"
    related = Related(there, facts.span(meeting.node))
    return Finding(
        rule.code, rule.name, message, facts.span(node), (related,), meeting.origin.scope
    )
