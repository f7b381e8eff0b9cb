"""What Pylint writes for programs: a line a finding, which many tools can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdev_lint.reporters.entry import entries
from torchdev_lint.source.shown import shown, shown_path

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output


class PylintReporter:
    """Writes `path:line: [CODE] message`."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        for entry in entries(report, self._output):
            place = f"{shown_path(entry.place.path)}:{entry.place.in_file.line}"
            line = f"{place}: [{entry.code or entry.name}] {shown(entry.told)}\n"
            self._output.stream.write(line)

    def finish(self, complete: bool = True) -> None:
        """Write nothing: each line stands for itself."""
