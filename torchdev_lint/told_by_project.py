"""What the project tells of findings: who uses the file, and with what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from torchdev_lint.catalog.factories import TAKE_TENSORS
from torchdev_lint.finding import Finding
from torchdev_lint.placement.evidence.brought import where_brought
from torchdev_lint.placement.evidence.fed_from_host import is_fed_from_host
from torchdev_lint.placement.evidence.host_callers import (
    is_called_on_host,
    is_method_called_on_host,
    is_used_on_samples,
)
from torchdev_lint.placement.evidence.host_values import is_on_host, may_be_tensor
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.moved_on import is_moved_on
from torchdev_lint.placement.evidence.told_host import takes_host_for_device
from torchdev_lint.placement.evidence.told_models import takes_unmoved_model
from torchdev_lint.placement.evidence.unknown_callers import may_be_called_on_host
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import root_name

_MEETS_ACCELERATOR = frozenset("TDL002 TDL004 TDL005 TDL012 TDL013 TDL016".split())
"""Rules that say what is on the CPU, or has to be, and that something else is on an accelerator."""


def ask_the_project(facts: Facts, found: Sequence[Finding], file: ParsedFile) -> None:
    """Look at who uses the file, for findings that depend on that.

    Args:
        facts: what is known of the file, to be completed.
        found: what would be found without that.
        file: the file.
    """
    given = [finding for finding in found if finding.given]
    names = {finding.assumes for finding in given}
    on_host = {name for name in names if is_called_on_host(file, name)}
    scopes = {finding.scope for finding in given if finding.assumes not in on_host}
    on_host.update(scope for scope in scopes if _is_run_on_host(file, scope))
    others = (scopes | names) - on_host
    on_host.update(
        scope for scope in others if is_moved_on(file, scope) or takes_unmoved_model(file, scope)
    )
    open_ones = (name for name in others - on_host if where_brought(file, name) is None)
    on_host.update(name for name in open_ones if may_be_called_on_host(file, name))
    facts.on_host = frozenset(on_host)
    told = {finding.scope for finding in found if finding.code in _MEETS_ACCELERATOR}
    facts.told_host = frozenset(scope for scope in told if takes_host_for_device(file, scope))
    entered = {finding.assumes for finding in found if finding.assumes and not finding.given}
    facts.on_samples = frozenset(name for name in entered if is_used_on_samples(file, name))
    spans = {span for finding in found for span in _spans_of(finding)}
    facts.fed_from_host = _fed_from_host(facts, spans, file)
    hidden = {finding.assumes for finding in found if finding.if_shown and finding.assumes}
    facts.not_shown = frozenset(name for name in hidden if where_brought(file, name) is None)


def is_excused(facts: Facts, finding: Finding) -> bool:
    """Return whether a finding does not hold, by what the project has told.

    Args:
        facts: what is known of the file, completed by that.
        finding: what would be found without it.
    """
    if finding.given and not facts.on_host.isdisjoint((finding.assumes, finding.scope)):
        return True
    if finding.assumes in facts.on_samples:
        return True
    if finding.scope in facts.told_host and finding.code in _MEETS_ACCELERATOR:
        return True
    if not facts.fed_from_host.isdisjoint(_spans_of(finding)):
        return True
    return finding.if_shown and finding.assumes in facts.not_shown


def _is_run_on_host(file: ParsedFile, scope: str) -> bool:
    """Whether the function that makes a value, perhaps for another, is given only the host's."""
    asked = is_method_called_on_host if "." in scope else is_called_on_host
    return bool(scope) and asked(file, scope)


def _fed_from_host(facts: Facts, found: Set[Span], file: ParsedFile) -> frozenset[Span]:
    """Where something is found that only meets arguments which others give from the CPU.

    Or that is made of an argument for which they may give a tensor.
    """
    meetings = facts.unexcused()
    told = [m for m in meetings if not found.isdisjoint(_spans_of_made(facts, m))]
    scopes = {meeting.scope for meeting in told}  # of two in one line, one alone is told
    met, fed = dict[Span, bool](), dict[tuple[str, object], bool]()
    for meeting in (m for m in meetings if m.scope in scopes):
        name = root_name(meeting.partner_node) if meeting.given is None else None
        asked = meeting.scope, name or meeting.partner_node
        if asked not in fed:
            fed[asked] = _is_fed_from_host(file, meeting)
        is_fed = fed[asked] or _is_made_of_tensor(file, meeting)
        for span in _spans_of_made(facts, meeting):
            met[span] = is_fed and met.get(span, True)
    return frozenset(span for span, is_fed in met.items() if is_fed)


def _is_made_of_tensor(file: ParsedFile, meeting: Meeting) -> bool:
    """Whether something is made of an argument that may be a tensor already: it stays with that."""
    made = meeting.origin.node
    if not isinstance(made, ast.Call) or not made.args or file.syntax.parent(made) is None:
        return False
    takes = last_component(made.func) in TAKE_TENSORS
    return takes and may_be_tensor(Placed(file, made.args[0]))


def _is_fed_from_host(file: ParsedFile, meeting: Meeting) -> bool:
    """Whether what something meets comes from callers, and all of them give it from the CPU."""
    node = meeting.partner_node
    if meeting.given is None:
        name = root_name(node) if meeting.in_forward else None
        return name not in {None, "self"} and is_fed_from_host(file, meeting.scope, name)
    if not isinstance(node, ast.expr) or file.syntax.parent(node) is None:
        return False
    return is_on_host(Placed(file, node))


def _spans_of_made(facts: Facts, meeting: Meeting) -> tuple[Span, Span]:
    """Where what meets something is made, alone and with what it is assigned to."""
    node = meeting.origin.node
    return facts.span(node), facts.span(facts.syntax.statement(node) or node)


def _spans_of(finding: Finding) -> Iterator[Span]:
    """Where a finding is, and where in its file what it is about is made, if that is elsewhere."""
    yield finding.span
    yield from (each.span for each in finding.related if each.path is None)
