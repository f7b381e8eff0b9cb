"""For people who look: below each finding its source lines, both places, and its fix."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from torchdev_lint.records import replace
from torchdev_lint.reporters.concise import ConciseReporter
from torchdev_lint.reporters.excerpt import Mark, excerpt
from torchdev_lint.reporters.hunk import hunk
from torchdev_lint.reporters.style import BLUE, CYAN, RED
from torchdev_lint.source.cells import cell_at, in_cell, lines_of
from torchdev_lint.source.shown import beside, shown
from torchdev_lint.source.source import Source, SourceError, read_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchdev_lint.change import Replace
    from torchdev_lint.finding import Related
    from torchdev_lint.report import FileReport
    from torchdev_lint.source.cells import Cell, Cells


class FullReporter(ConciseReporter):
    """Writes the concise line, and below it what a person wants to see."""

    def below(self, report: FileReport, number: int) -> str:
        """Return the source lines with their marks, and the fix as a small difference."""
        finding, cells = report.findings[number], report.cells
        edits = (report.edits[number] or ()) if report.edits else ()
        cell = cell_at(cells, finding.span.line)
        lines = lines_of(cells, cell, report.lines)
        here = [item for item in finding.related if _is_in(item, cells, cell)]
        marks = [Mark(in_cell(cells, finding.span), "^", RED)]
        marks += [Mark(in_cell(cells, item.span), "-", BLUE, item.message) for item in here]
        shown_lines = {mark.span.line for mark in marks}
        shown_lines |= {in_cell(cells, edit.span).end_line for edit in edits}
        width = len(str(max(shown_lines)))
        style = self.output.style
        parts = excerpt(lines, marks, width, style)
        for item in finding.related:
            if item not in here:
                parts += self._elsewhere(item, report, width)
        if finding.fix is not None:
            parts.append(f"{style.paint('help', CYAN)}: {shown(finding.fix.message)}")
            if finding.fix_for(self.output.unsafe) is None:
                parts[-1] += " (unsafe: `--unsafe-fixes`)"
            parts += self._hunks(edits, report, width)
        return "\n".join(parts) + "\n\n"

    def _hunks(self, edits: Sequence[Replace], report: FileReport, width: int) -> list[str]:
        """Return the lines that show what edits change, of a notebook cell by cell."""
        cells, style, parts = report.cells, self.output.style, list[str]()
        for cell, group in groupby(edits, lambda edit: cell_at(cells, edit.span.line)):
            own = [replace(edit, span=in_cell(cells, edit.span)) for edit in group]
            parts += hunk(lines_of(cells, cell, report.lines), own, width, style)
        return parts

    def _elsewhere(self, related: Related, report: FileReport, width: int) -> list[str]:
        """Return the lines about a place in another file, or in another cell."""
        style, path = self.output.style, related.path
        margin = style.paint(" " * width + " :::", BLUE)
        if path is not None:
            source = _source_of(path)
            cells = () if source is None else source.cells
            place = self.place(beside(path, report.path), related.span, cells)
            line, span = _line_in(source, related.span.line), in_cell(cells, related.span)
        else:
            place = self.place(report.path, related.span, report.cells)
            line = report.lines.get(related.span.line)
            span = in_cell(report.cells, related.span)
        if line is None:
            return [f"{margin} {place} {shown(related.message)}"]
        mark = Mark(span, "-", BLUE, related.message)
        lines = excerpt({span.line: line}, [mark], width, style)
        return [f"{margin} {place}", *lines[1:]]


def _is_in(related: Related, cells: Cells, cell: Cell | None) -> bool:
    return related.path is None and cell_at(cells, related.span.line) == cell


def _source_of(path: str) -> Source | None:
    """Return a file that was looked at for another one; None if it can't be had."""
    try:
        return read_source(os.path.abspath(path))
    except SourceError:
        return None


def _line_in(source: Source | None, number: int) -> str | None:
    lines = [] if source is None else source.lines
    return lines[number - 1] if number <= len(lines) else None
