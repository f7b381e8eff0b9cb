"""A line a finding, and a total."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdev_lint.addresses import page_url
from torchdev_lint.reporters.style import BOLD, RED
from torchdev_lint.reporters.totals import Totals
from torchdev_lint.source.shown import place_in, shown, shown_path

if TYPE_CHECKING:
    from torchdev_lint.finding import Finding
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.source.cells import Cells
    from torchdev_lint.source.span import Span


class ConciseReporter:
    """Writes `path:line:col: CODE message`; of a warning it says that it is one."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.totals = Totals(output.unsafe)

    def add(self, report: FileReport) -> None:
        """Write one file's findings."""
        self.totals.add(report)
        write = self.output.stream.write
        for number, finding in enumerate(report.findings):
            place = self.place(report.path, finding.span, report.cells)
            write(f"{place} {self.message(finding)}\n")
            write(self.below(report, number))
        for note in report.notes:
            place = self.place(report.path, note.span, report.cells)
            write(f"{place} {shown(note.message)}\n")

    def finish(self, complete: bool = True) -> None:
        """Sum up what is complete."""
        if complete and not self.output.quiet:
            self.output.stream.write(self.totals.text())

    def below(self, report: FileReport, number: int) -> str:
        """Return what comes below a finding's line.

        Args:
            report: the report of its file.
            number: which of the findings it is.
        """
        return ""

    def place(self, path: str, span: Span, cells: Cells = ()) -> str:
        """Return where something is, as editors and terminals find it."""
        return f"{self.output.style.paint(shown_path(path), BOLD)}:{place_in(cells, span)}:"

    def message(self, finding: Finding) -> str:
        """Return code and message, and whether the finding can be fixed."""
        style = self.output.style
        code = style.link(style.paint(finding.code, RED), page_url(finding.code))
        mark = "[*] " if finding.fix_for(self.output.unsafe) is not None else ""
        severity = "warning: " if finding.severity == "warning" else ""
        return f"{code} {mark}{severity}{shown(finding.message)}"
