"""JSON lines: the objects of the JSON format, each on a line of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from torchdev_lint.reporters.entry import entries
from torchdev_lint.reporters.json import as_json

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output


class JsonLinesReporter:
    """Writes an object a line: what was written so far is always whole."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        for entry in entries(report, self._output):
            line = json.dumps(as_json(entry), separators=(",", ":"))
            self._output.stream.write(line + "\n")

    def finish(self, complete: bool = True) -> None:
        """Write nothing: each line stands for itself."""
