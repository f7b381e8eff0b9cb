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
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import LeftToUsers, Meeting, MetElsewhere
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.project.unimportable import imports_what_is_missing
from torchdev_lint.project.uses import uses_of
from torchdev_lint.records import replace
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.imported import ImportsOf
from torchdev_lint.triage.triggers import Trigger

MAX_USERS = 4
"""How many files are run for one: those that lie nearest to it."""
MAX_NAMES = 8
"""How many functions and classes are looked for, each of which uses the one before."""


def told_by_users(facts: Facts) -> None:
    """Add what the functions of a file mix where others call them, where the file leaves that open.

    Args:
        facts: what is known of the file, to be completed.
    """
    file = facts.file
    asked = {left.function for left in facts.of(LeftToUsers)}
    asked |= {meeting.given for meeting in facts.of(Meeting) if meeting.given is not None}
    names = {_name(facts, function) for function in asked} - {""}
    if file is None or not names:
        return
    for user in _users_of(file, names):
        for met in _met_by(user, file.path):
            meeting = _as_told_in(facts, met.meeting)
            if meeting is not None:
                facts.note(replace(meeting, shown=Site(user.path, user.source.span(met.call))))


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
    """Whether code calls what it names, or a method of it, or is a class that inherits from it."""
    parent = user.syntax.parent(node)
    if isinstance(parent, ast.Attribute):
        return user.syntax.is_called(parent)
    return isinstance(parent, ast.ClassDef) or user.syntax.is_called(node)


@in_one_moment
def _met_by(user: ParsedFile, asked: str) -> list[MetElsewhere]:
    """Run a file, and return what another one mixes meanwhile of what it makes itself.

    Args:
        user: the file that is run.
        asked: the path of the other one.
    """
    if imports_what_is_missing(user):
        return []
    imports = ImportsOf(user.tree, user.path, frozenset(Trigger))

    def leads(path: str, node: ast.AST) -> bool:
        return path == asked or imports.lead(path, node)

    wanted = unless_on_host(lambda node: True, user.tree, user.path)
    project = Project(user, leads)
    facts = analyse(user.tree, user.source, wanted, project, fixable=False)
    met = [met for met in facts.of(MetElsewhere) if met.path == asked]
    if met and default_changes_around(user.path):
        return []
    return [each for each in met if _is_shown(user, each)]


def _is_shown(user: ParsedFile, met: MetElsewhere) -> bool:
    """Whether something certainly is on the accelerator: that a model is may only be assumed."""
    if not met.meeting.origin.in_forward:
        return True
    outer = user.syntax.outermost(met.call)
    return outer is not None and where_brought(user, outer.name) is not None


def _as_told_in(facts: Facts, meeting: Meeting) -> Meeting | None:
    """A meeting with the nodes of the tree that is linted: it may have been read anew meanwhile."""
    here = facts.concluded(_Here)
    made, node = here.counterpart(meeting.origin.node), here.counterpart(meeting.node)
    host, partner = here.counterpart(meeting.host_node), here.counterpart(meeting.partner_node)
    if made is None or node is None or host is None or partner is None:
        return None
    origin = replace(meeting.origin, node=made)
    told = replace(meeting, origin=origin, node=node, host_node=host, partner_node=partner)
    if isinstance(facts.syntax.outermost(made), ast.ClassDef):
        return told
    # A function is told of as such, also where a `forward` calls it.
    return replace(told, origin=replace(origin, in_forward=False), in_forward=False)


class _Here:
    """The nodes of a file's tree, by what and where they are."""

    def __init__(self, facts: Facts) -> None:
        self._syntax = facts.syntax
        self._nodes = {_key(node): node for node in walk(facts.tree) if hasattr(node, "lineno")}

    def counterpart(self, node: ast.AST) -> ast.AST | None:
        """Return the node that stands where another one does."""
        return self._nodes.get(_key(node))


def _key(node: ast.AST) -> tuple[type[ast.AST], object, object, object, object]:
    return (
        type(node),
        getattr(node, "lineno", None),
        getattr(node, "col_offset", None),
        getattr(node, "end_lineno", None),
        getattr(node, "end_col_offset", None),
    )
