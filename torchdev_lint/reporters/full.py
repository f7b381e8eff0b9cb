"""For people who look: below each finding its source lines, both places, and its fix."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from torchdev_lint.reporters.concise import ConciseReporter
from torchdev_lint.reporters.excerpt import Mark, excerpt
from torchdev_lint.reporters.hunk import hunk
from torchdev_lint.reporters.style import BLUE, CYAN, RED
from torchdev_lint.source.shown import beside, shown
from torchdev_lint.source.source import SourceError, read_source

if TYPE_CHECKING:
    from torchdev_lint.finding import Related
    from torchdev_lint.report import FileReport


class FullReporter(ConciseReporter):
    """Writes the concise line, and below it what a person wants to see."""

    def below(self, report: FileReport, number: int) -> str:
        """Return the source lines with their marks, and the fix as a small difference."""
        finding = report.findings[number]
        edits = (report.edits[number] or ()) if report.edits else ()
        here = [item for item in finding.related if item.path is None]
        marks = [Mark(finding.span, "^", RED)]
        marks += [Mark(item.span, "-", BLUE, item.message) for item in here]
        shown_lines = {mark.span.line for mark in marks}
        shown_lines |= {edit.span.end_line for edit in edits}
        width = len(str(max(shown_lines)))
        style = self.output.style
        parts = excerpt(report.lines, marks, width, style)
        for item in finding.related:
            if item.path is not None:
                parts += self._elsewhere(item, item.path, report.path, width)
        if finding.fix is not None:
            parts.append(f"{style.paint('help', CYAN)}: {shown(finding.fix.message)}")
            if finding.fix_for(self.output.unsafe) is None:
                parts[-1] += " (unsafe: `--unsafe-fixes`)"
            parts += hunk(report.lines, edits, width, style)
        return "\n".join(parts) + "\n\n"

    def _elsewhere(self, related: Related, path: str, known: str, width: int) -> list[str]:
        """Return the lines about a place in another file."""
        style = self.output.style
        place = self.place(beside(path, known), related.span)
        margin = style.paint(" " * width + " :::", BLUE)
        line = _line_of(path, related.span.line)
        if line is None:
            return [f"{margin} {place} {shown(related.message)}"]
        mark = Mark(related.span, "-", BLUE, related.message)
        lines = excerpt({related.span.line: line}, [mark], width, style)
        return [f"{margin} {place}", *lines[1:]]


def _line_of(path: str, number: int) -> str | None:
    """Return a line of a file that was looked at for another one; None if it can't be had."""
    try:
        lines = read_source(os.path.abspath(path)).lines
    except SourceError:
        return None
    return lines[number - 1] if number <= len(lines) else None
