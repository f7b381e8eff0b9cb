"""Reviewdog's diagnostic format (RDFormat) as one JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from torchdev_lint.addresses import HOME_URL
from torchdev_lint.reporters.entry import entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.reporters.entry import Entry, Place
    from torchdev_lint.source.span import Span

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", None: "INFO"}


class RdjsonReporter:
    """Writes one document, diagnostic by diagnostic."""

    def __init__(self, output: Output) -> None:
        self._output = output
        source = json.dumps({"name": "torchdev-lint", "url": HOME_URL})
        self._separator = f'{{"source": {source}, "severity": "WARNING", "diagnostics": [\n'

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        for entry in entries(report, self._output):
            element = json.dumps(_diagnostic(entry, report.lines), indent=2)
            self._output.stream.write(self._separator + element)
            self._separator = ",\n"

    def finish(self, complete: bool = True) -> None:
        """Close the document."""
        if self._separator != ",\n":
            self._output.stream.write(self._separator)
        self._output.stream.write("\n]}\n")


def _diagnostic(entry: Entry, lines: Mapping[int, str]) -> dict[str, Any]:
    code = {"value": entry.code or entry.name}
    if entry.url is not None:
        code["url"] = entry.url
    diagnostic: dict[str, Any] = {
        "message": entry.told,
        "location": _location(entry.place, lines),
        "severity": _SEVERITIES[entry.severity],
        "code": code,
    }
    if entry.edits and entry.place.cell is None:
        diagnostic["suggestions"] = [
            {"range": _range(edit.span, lines), "text": edit.text} for edit in entry.edits
        ]
    if entry.related:
        diagnostic["related_locations"] = [
            {
                "message": place.message,
                "location": _location(place, lines if place.path == entry.place.path else {}),
            }
            for place in entry.related
        ]
    return diagnostic


def _location(place: Place, lines: Mapping[int, str]) -> dict[str, Any]:
    return {"path": place.filename, "range": _range(place.in_file, lines)}


def _range(span: Span, lines: Mapping[int, str]) -> dict[str, Any]:
    return {
        "start": _position(span.line, span.column, lines),
        "end": _position(span.end_line, span.end_column, lines),
    }


def _position(line: int, column: int, lines: Mapping[int, str]) -> dict[str, int]:
    """Return a position, whose column counts bytes of UTF-8; none where the line isn't known."""
    if column and line not in lines:
        return {"line": line}
    before = lines[line][:column] if column else ""
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
