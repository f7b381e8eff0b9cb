"""Workflow commands of GitHub Actions, which become annotations of the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdev_lint.reporters.entry import entries
from torchdev_lint.source.shown import located, shown

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.reporters.entry import Entry

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, ord(":"): "%3A", ord(","): "%2C"}


class GithubReporter:
    """Writes a command for each finding, problem and note."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        for entry in entries(report, self._output):
            self._output.stream.write(_command(entry))

    def finish(self, complete: bool = True) -> None:
        """Write nothing: each command stands for itself."""


def _command(entry: Entry) -> str:
    span, code = entry.place.in_file, entry.code or entry.name
    where = {"file": shown(entry.place.filename), "line": span.line}
    if span.line == span.end_line:  # columns are only read within one line
        where |= {"col": span.column + 1}
    where |= {"endLine": span.end_line}
    if span.line == span.end_line:
        where |= {"endColumn": span.end_column + 1}
    values = {"title": f"torchdev-lint ({code})", **where}
    properties = ",".join(f"{k}={str(v).translate(_PROPERTY)}" for k, v in values.items())
    place = located(entry.place.path, entry.place.cells, entry.place.span)
    message = f"{place}: {code} {shown(entry.message)}"
    if entry.fix is not None:
        message += f"\n  help: {shown(entry.fix.message)}"
    return f"::{entry.severity or 'notice'} {properties}::{message.translate(_DATA)}\n"
