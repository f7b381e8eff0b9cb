"""JSON: an array of objects in the shape of Ruff's, with our own keys beside Ruff's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from torchdev_lint.records import replace
from torchdev_lint.reporters.entry import entries

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.reporters.entry import Entry, Place
    from torchdev_lint.source.span import Span


class JsonReporter:
    """Writes one array, element by element."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._stream = output.stream
        self._separator = "[\n"

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        for entry in entries(report, self._output):
            element = json.dumps(as_json(entry), indent=2)
            self._stream.write(self._separator + element)
            self._separator = ",\n"

    def finish(self, complete: bool = True) -> None:
        """Close the array."""
        self._stream.write("[]\n" if self._separator == "[\n" else "\n]\n")


def as_json(entry: Entry) -> dict[str, Any]:
    """Return the object that stands for an entry: Ruff's keys, `scope` and `related`."""
    return {
        "cell": entry.place.cell,
        "code": entry.code,
        **_locations(entry.place.in_cell),
        "filename": entry.place.filename,
        "fix": _fix_as_json(entry),
        "message": entry.message,
        "name": entry.name,
        "noqa_row": entry.place.in_cell.line if entry.is_finding else None,
        "severity": entry.severity,
        "url": entry.url,
        "scope": entry.scope,
        "related": [
            {"message": place.message, "filename": place.filename, **_locations_in(place)}
            for place in entry.related
        ],
    }


def _fix_as_json(entry: Entry) -> dict[str, Any] | None:
    if entry.fix is None:
        return None
    return {
        "applicability": entry.fix.applicability,
        "edits": [
            {"content": edit.text, **_locations_in(replace(entry.place, span=edit.span))}
            for edit in entry.edits
        ],
        "message": entry.fix.message,
    }


def _locations_in(place: Place) -> dict[str, Any]:
    """Return where something is that may be in another cell than the finding."""
    cell = {} if place.cell is None else {"cell": place.cell}
    return {**cell, **_locations(place.in_cell)}


def _locations(span: Span) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": span.line, "column": span.column + 1},
        "end_location": {"row": span.end_line, "column": span.end_column + 1},
    }
