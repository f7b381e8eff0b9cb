"""The findings of each file below its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdev_lint.reporters.concise import ConciseReporter
from torchdev_lint.reporters.style import BOLD
from torchdev_lint.source.shown import place_in, shown, shown_path

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport


class GroupedReporter(ConciseReporter):
    """Writes a name, and `line:col CODE message` below it."""

    def add(self, report: FileReport) -> None:
        """Write one file's findings."""
        self.totals.add(report)
        rows = [(each.span, self.message(each)) for each in report.findings]
        rows += [(each.span, shown(each.message)) for each in report.notes]
        if not rows:
            return
        places = [place_in(report.cells, span) for span, _ in rows]
        width = max(map(len, places))
        name = self.output.style.paint(shown_path(report.path), BOLD)
        lines = [
            f"  {place:<{width}} {message}\n"
            for place, (_, message) in zip(places, rows, strict=True)
        ]
        self.output.stream.write(f"{name}:\n{''.join(lines)}\n")
