"""What a file's functions mix when other files of the project call them: those are run for it.

A function that computes with what it is given, and with what it makes, is a defect where somebody
calls it with what is on an accelerator. Nothing in its own file may say that it is given tensors.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Set

from torchdev_lint.placement.analysis import Project, analyse
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.evidence.brought import where_brought
from torchdev_lint.placement.evidence.host_code import unless_on_host
from torchdev_lint.placement.evidence.neighbours import default_changes_around
from torchdev_lint.placement.facts.conversions import Conversion
from torchdev_lint.placement.facts.events import Event, FoundElsewhere, LeftToUsers
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.project.unimportable import imports_what_is_missing
from torchdev_lint.project.uses import uses_of
from torchdev_lint.records import replace
from torchdev_lint.triage.imported import ImportsOf
from torchdev_lint.triage.triggers import Trigger

MAX_USERS = 3
"""How many files are run for one: those that lie nearest to it."""
MAX_CHARACTERS = 200_000
"""How long a file may be that is run for another one."""
MAX_NAMES = 8
"""How many functions and classes are looked for, each of which uses the one before."""


def told_by_users(facts: Facts) -> None:
    """Add what the functions of a file do where others call them, where it leaves that open.

    Args:
        facts: what is known of the file, to be completed.
    """
    asked = {left.function for left in facts.of(LeftToUsers)}
    asked |= {meeting.given for meeting in facts.of(Meeting) if meeting.given is not None}
    names = {_name(facts, function) for function in asked} - {""}
    if facts.file is None or not names:
        return
    for user in _users_of(facts.file, names):
        for found in _found_by(user, facts.file):
            event = _as_told(facts, found.event, Site(user.path, user.source.span(found.call)))
            if event is not None:
                facts.note(event)


def _name(facts: Facts, function: ast.AST) -> str:
    """What other files call a function, or the class of a method."""
    outer = facts.syntax.outermost(function) or function
    return getattr(outer, "name", "")


def _users_of(file: ParsedFile, names: Set[str]) -> list[ParsedFile]:
    """The files that use some functions and classes, or what uses those, the nearest first."""
    pending = deque(Definition(file.path, name) for name in sorted(names))
    asked, found = set(pending), dict[str, ParsedFile]()
    for _ in range(MAX_NAMES):
        if not pending:
            break
        definition = pending.popleft()
        for user, node in uses_of(file, definition).places:
            if user.path != file.path and _may_call(user, node):
                found[user.path] = user
            outer = user.syntax.outermost(node)
            using = Definition(user.path, getattr(outer, "name", ""))
            if using.name and using not in asked:
                asked.add(using)
                pending.append(using)
    return list(found.values())[:MAX_USERS]


def _may_call(user: ParsedFile, node: ast.expr) -> bool:
    """Whether a file calls what it names, or a method of it, or inherits from it."""
    if len(user.source.text) > MAX_CHARACTERS:
        return False
    parent = user.syntax.parent(node)
    if isinstance(parent, ast.Attribute):
        return user.syntax.is_called(parent)
    return isinstance(parent, ast.ClassDef) or user.syntax.is_called(node)


@in_one_moment
def _found_by(user: ParsedFile, asked: ParsedFile) -> list[FoundElsewhere]:
    """Run a file, and return what happens meanwhile in another one.

    Args:
        user: the file that is run.
        asked: the other one.
    """
    if imports_what_is_missing(user):
        return []
    imports = ImportsOf(user.tree, user.path, frozenset(Trigger))

    def leads(path: str, node: ast.AST) -> bool:
        return path == asked.path or imports.lead(path, node)

    wanted = unless_on_host(lambda node: True, user.tree, user.path)
    project = Project(user, leads, beside=asked)
    facts = analyse(user.tree, user.source, wanted, project, fixable=False)
    found = [each for each in facts.of(FoundElsewhere) if each.path == asked.path]
    if found and default_changes_around(user.path):
        return []
    return [each for each in found if _is_shown(user, each)]


def _is_shown(user: ParsedFile, found: FoundElsewhere) -> bool:
    """Whether something certainly is on the accelerator: that a model is may only be assumed."""
    event = found.event
    if isinstance(event, Conversion):
        return not event.model
    if not isinstance(event, Meeting) or not event.origin.in_forward:
        return True
    outer = user.syntax.outermost(found.call)
    return outer is not None and where_brought(user, outer.name) is not None


def _as_told(facts: Facts, event: Event, shown: Site) -> Event | None:
    """What happens in a file, as it is told of there; None for what is only a part of it.

    Args:
        shown: the call that leads there.
    """
    if isinstance(event, Conversion):
        return replace(event, shown=shown)
    if not isinstance(event, Meeting):
        return event
    parts = event.node, event.host_node, event.partner_node
    if any(facts.syntax.parent(part) is None for part in parts):
        return None
    told = replace(event, shown=shown)
    if isinstance(facts.syntax.outermost(event.origin.node), ast.ClassDef):
        return told
    # A function is told of as such, also where a `forward` calls it.
    return replace(told, origin=replace(event.origin, in_forward=False), in_forward=False)
