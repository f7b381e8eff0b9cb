"""JSON: an array in the shape of Ruff's, and the related places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from torchdev_lint.rule_docs import page_url
from torchdev_lint.source.shown import beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torchdev_lint.change import Fix, Replace
    from torchdev_lint.finding import Finding, Skip
    from torchdev_lint.report import FileReport
    from torchdev_lint.source.span import Span


class JsonReporter:
    """Writes one array, element by element.

    Args:
        stream: where to write.
        unsafe: whether to show the unsafe fix of a finding that also has a safe one.
    """

    def __init__(self, stream: TextIO, *, unsafe: bool = False) -> None:
        self._stream = stream
        self._unsafe = unsafe
        self._separator = "[\n"

    def add(self, report: FileReport) -> None:
        """Write one file's findings."""
        edits = report.edits or (None,) * len(report.findings)
        for finding, replaced in zip(report.findings, edits, strict=True):
            fix = _fix_as_json(finding.fix_for(self._unsafe) or finding.fix, replaced)
            self._write(_as_json(report.path, finding, fix))
        for skip in report.skipped:
            self._write(_skip_as_json(report.path, skip))

    def _write(self, element: dict[str, Any]) -> None:
        self._stream.write(self._separator + json.dumps(element, indent=2))
        self._separator = ",\n"

    def finish(self) -> None:
        """Close the array."""
        self._stream.write("[]\n" if self._separator == "[\n" else "\n]\n")


def _fix_as_json(fix: Fix | None, edits: Sequence[Replace] | None) -> dict[str, Any] | None:
    if fix is None or edits is None:
        return None
    return {
        "applicability": fix.applicability,
        "message": fix.message,
        "edits": [{"content": edit.text, **_locations(edit.span)} for edit in edits],
    }


def _as_json(path: str, finding: Finding, fix: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "cell": None,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "filename": path,
        **_locations(finding.span),
        "noqa_row": finding.span.line,
        "scope": finding.scope,
        "fix": fix,
        "url": page_url(finding.code),
        "related": [
            {
                "message": related.message,
                "filename": beside(related.path, path) if related.path else path,
                **_locations(related.span),
            }
            for related in finding.related
        ],
    }


def _skip_as_json(path: str, skip: Skip) -> dict[str, Any]:
    """What was not looked at to its end has no code, as Ruff's syntax errors have none."""
    return {
        "cell": None,
        "code": None,
        "name": "skipped",
        "severity": None,
        "message": skip.message,
        "filename": path,
        **_locations(skip.span),
        "noqa_row": None,
        "scope": skip.scope,
        "fix": None,
        "url": None,
        "related": [],
    }


def _locations(span: Span) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": span.line, "column": span.column + 1},
        "end_location": {"row": span.end_line, "column": span.end_column + 1},
    }
