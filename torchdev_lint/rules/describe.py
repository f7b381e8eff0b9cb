"""How findings about a meeting are put into words."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdev_lint.finding import Finding, Related
from torchdev_lint.placement.domain.origins import Origin, OriginKind, Site
from torchdev_lint.placement.facts.failing import BehindArrays
from torchdev_lint.rules.wording import spare
from torchdev_lint.source.cells import line_in_words
from torchdev_lint.source.source import cells_in
from torchdev_lint.syntax.names import short

if TYPE_CHECKING:
    from torchdev_lint.placement.facts.facts import Facts
    from torchdev_lint.placement.facts.meetings import Meeting
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
    holder, name = meeting.origin.holder, _name_where_made(facts, meeting)
    made = f"`{name}`" if name else "a tensor"
    if holder is not None and holder.stays:
        made = f"what `{holder.attribute}` keeps"
    event, there = meets(facts, meeting)
    message = f"{maker(meeting.origin)} makes {made} on the CPU; it {event}"
    related = (*related_places(facts, there, meeting), *made_elsewhere(meeting.origin))
    assumed = assumed_in(meeting)
    return Finding(
        rule.code,
        rule.name,
        message,
        facts.span(node),
        related,
        meeting.origin.scope,
        assumes=assumed,
        if_shown=facts.concluded(BehindArrays).has(assumed, meeting.origin.node),
        given=meeting.given is not None,
    )


def _name_where_made(facts: Facts, meeting: Meeting) -> str | None:
    """The name of a host tensor.

    Where it meets another one in a function that it is handed, it is called something else.
    """
    host, origin = meeting.host_node, meeting.origin
    if not isinstance(host, ast.Name) or _is_among(meeting) or meeting.within:
        return None
    if meeting.scope == origin.scope or origin.kind is not OriginKind.FACTORY:
        return short(host)
    inner: ast.AST = origin.node
    for node in facts.syntax.around(origin.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
        if isinstance(node, ast.stmt) or (isinstance(node, ast.Call) and node.func is not inner):
            break
        inner = node
    return None


def assumed_in(meeting: Meeting) -> str:
    """Return the class or function that is only assumed to work on an accelerator, if any.

    That is the one at the top of the file whose code makes the host value, or meets it.
    """
    made, met = meeting.origin.in_forward, meeting.in_forward or meeting.given is not None
    scope = meeting.origin.scope if made else meeting.scope
    return scope.partition(".")[0] if made or met else ""


def side(meeting: Meeting) -> str:
    """Return where the other value lives that a tensor meets, as a message says it."""
    if meeting.given is not None:
        return "on the caller's device"
    return "on the model's device" if meeting.origin.in_forward else "on the accelerator"


def meets(facts: Facts, meeting: Meeting) -> tuple[str, str]:
    """Return what happens to a host tensor: as a message says it, and as the place itself does."""
    where, partner = place_of(facts, meeting), f"`{meeting.partner_text}`"
    if _is_among(meeting):
        partner = f"others of {partner}"
    if meeting.module_call:
        event = f"is passed to {partner} (on the model's device) {where}"
        return event, f"is passed to {partner} here"
    event = f"meets {partner} ({side(meeting)}) {spare(f'in `{meeting.operation}` ')}{where}"
    return event, f"meets {partner} here"


def _is_among(meeting: Meeting) -> bool:
    """Whether a tensor meets others of the list that holds it."""
    if meeting.module_call or meeting.elsewhere is not None:
        return False
    return meeting.host_node is meeting.partner_node


def place_of(facts: Facts, meeting: Meeting) -> str:
    """Return where two places meet, as a message says it."""
    site = meeting.elsewhere
    if site is None or meeting.at_model:
        return f"on line {facts.line_of(meeting.node)}"
    return line_in_file(site)


def line_in_file(site: Site) -> str:
    """Return where something happens in another file, as a message says it."""
    line = line_in_words(cells_in(site.path), site.span.line)
    return f"on line {line} of {os.path.basename(site.path)}"


def related_places(facts: Facts, message: str, meeting: Meeting) -> tuple[Related, ...]:
    """Return where two places meet: at the call of a model, and in its code in another file."""
    site, call = meeting.elsewhere, Related(message, facts.span(meeting.node))
    if site is None:
        return (call, *called_from(meeting.shown))
    if meeting.at_model:
        return (call, Related("fails here", site.span, site.path))
    return (Related(message, site.span, site.path),)


def called_from(shown: Site | None) -> Iterator[Related]:
    """Yield where another file calls the function that something is told of, if only that tells."""
    if shown is not None:
        yield Related("called with what is on the accelerator here", shown.span, shown.path)


def made_elsewhere(origin: Origin) -> Iterator[Related]:
    """Yield where a value is made that a call brings from another file."""
    if origin.elsewhere is not None:
        yield Related("made on the CPU here", origin.elsewhere.span, origin.elsewhere.path)


def made_where(facts: Facts, origin: Origin) -> Related:
    """Return where a constant is made that is read in the file."""
    site, message = origin.elsewhere, f"made on the CPU by {maker(origin)} here"
    if site is None:
        return Related(message, facts.span(origin.made.node))
    return Related(message, site.span, site.path)
