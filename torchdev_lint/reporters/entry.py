"""All that is said of a file, in one shape, for the formats that programs read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from torchdev_lint.addresses import page_url
from torchdev_lint.source.span import Span

if TYPE_CHECKING:
    from torchdev_lint.change import Fix, Replace
    from torchdev_lint.finding import Finding, Note, Related
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.source.problem import Problem

Severity = Literal["error", "warning"]

IO_ERROR = "E902"
"""The code that other linters have for what can't be read."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file.

    Args:
        path: the file, as it is shown to the user.
        filename: the same from the root of the file system, where it has a name.
        span: the stretch.
        message: what is to be said of it.
    """

    path: str
    filename: str
    span: Span
    message: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding, a problem, or a note of what was not looked at.

    Args:
        place: where it is.
        code: the rule's code, or what stands for one; None: a note.
        name: the rule's name, or what sort of problem it is.
        message: what is wrong.
        severity: how bad it is; None: a note.
        scope: dotted name of the enclosing function or class.
        url: where more can be read.
        fix: how to mend it.
        edits: what the fix replaces.
        related: other places, in the order in which they help to understand.
        is_finding: whether a rule says so.
    """

    place: Place
    code: str | None
    name: str
    message: str
    severity: Severity | None
    scope: str = ""
    url: str | None = None
    fix: Fix | None = None
    edits: tuple[Replace, ...] = ()
    related: tuple[Place, ...] = ()
    is_finding: bool = False


def entries(report: FileReport, output: Output) -> Iterator[Entry]:
    """Yield all that a report says, in its order."""
    nameless = report.path == output.nameless
    filename = report.path if nameless else os.path.abspath(report.path)
    if report.problem is not None:
        yield _of_problem(report.problem, filename)
    edits = report.edits or (None,) * len(report.findings)
    for finding, replaced in zip(report.findings, edits, strict=True):
        place = Place(report.path, filename, finding.span)
        yield _of_finding(place, finding, replaced, output.unsafe)
    for note in report.notes:
        yield _of_note(Place(report.path, filename, note.span), note)


def _of_finding(
    place: Place, finding: Finding, edits: tuple[Replace, ...] | None, unsafe: bool
) -> Entry:
    fix = None if edits is None else finding.fix_for(unsafe) or finding.fix
    return Entry(
        place,
        finding.code,
        finding.name,
        finding.message,
        finding.severity,
        finding.scope,
        page_url(finding.code),
        fix,
        edits if edits is not None and fix is not None else (),
        tuple(_related(item, place) for item in finding.related),
        is_finding=True,
    )


def _related(related: Related, place: Place) -> Place:
    path, filename = place.path, place.filename
    if related.path is not None:
        path = filename = related.path
    return Place(path, filename, related.span, related.message)


def _of_problem(problem: Problem, filename: str) -> Entry:
    line, column = problem.line or 1, (problem.column or 1) - 1
    place = Place(problem.path, filename, Span(line, column, line, column))
    code = IO_ERROR if problem.kind == "io-error" else problem.kind
    return Entry(place, code, problem.kind, problem.message, "error")


def _of_note(place: Place, note: Note) -> Entry:
    return Entry(place, None, note.kind, note.message, None, note.scope)
