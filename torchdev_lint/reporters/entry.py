"""All that is said of a file, in one shape, for the formats that programs read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from torchdev_lint.addresses import page_url
from torchdev_lint.records import dataclass, replace
from torchdev_lint.source.cells import Cell, Cells, cell_at, in_cell, in_file
from torchdev_lint.source.shown import place_in
from torchdev_lint.source.source import cells_in
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
        span: the stretch; of a notebook, of the program that its cells make.
        message: what is to be said of it.
        cells: of a notebook where its cells are.
    """

    path: str
    filename: str
    span: Span
    message: str = ""
    cells: Cells = ()

    @property
    def cell(self) -> int | None:
        """Which cell of a notebook it is in, counted from 1."""
        cell = cell_at(self.cells, self.span.line)
        return None if cell is None else cell.number

    @property
    def in_cell(self) -> Span:
        """The stretch as people know it: of a notebook, of its cell."""
        return in_cell(self.cells, self.span)

    @property
    def in_file(self) -> Span:
        """The stretch for who knows nothing of cells: of a notebook, its line in the file."""
        return in_file(self.cells, self.span)


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

    @property
    def told(self) -> str:
        """The message for who knows nothing of cells: it begins with the place in one."""
        if not self.place.cells:
            return self.message
        return f"{place_in(self.place.cells, self.place.span)}: {self.message}"


def entries(report: FileReport, output: Output) -> Iterator[Entry]:
    """Yield all that a report says, in its order."""
    nameless = report.path == output.nameless
    filename = report.path if nameless else os.path.abspath(report.path)
    if report.problem is not None:
        yield _of_problem(report.problem, filename)
    edits = report.edits or (None,) * len(report.findings)
    for finding, replaced in zip(report.findings, edits, strict=True):
        place = Place(report.path, filename, finding.span, cells=report.cells)
        yield _of_finding(place, finding, replaced, output.unsafe)
    for note in report.notes:
        yield _of_note(Place(report.path, filename, note.span, cells=report.cells), note)


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
    if related.path is not None:
        cells = cells_in(related.path)
        return Place(related.path, related.path, related.span, related.message, cells)
    return replace(place, span=related.span, message=related.message)


def _of_problem(problem: Problem, filename: str) -> Entry:
    line, column = problem.line or 1, (problem.column or 1) - 1
    cells = () if problem.cell is None else (Cell(problem.cell, 1, 1, 0),)
    place = Place(problem.path, filename, Span(line, column, line, column), cells=cells)
    code = IO_ERROR if problem.kind == "io-error" else problem.kind
    return Entry(place, code, problem.kind, problem.message, "error")


def _of_note(place: Place, note: Note) -> Entry:
    return Entry(place, None, note.kind, note.message, None, note.scope)
