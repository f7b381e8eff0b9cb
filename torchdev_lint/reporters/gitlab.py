"""GitLab's code quality report."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from torchdev_lint.reporters.entry import entries

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.reporters.entry import Entry

_SEVERITIES = {"error": "major", "warning": "minor", None: "info"}
_ROOT_VARIABLE = "CI_PROJECT_DIR"
"""What holds the root of the checkout in a job: paths are shown from there."""


class GitlabReporter:
    """Writes one array, element by element."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._root = os.environ.get(_ROOT_VARIABLE) or os.curdir
        self._seen: Counter[str] = Counter()
        self._separator = "[\n"

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        for entry in entries(report, self._output):
            text = report.lines.get(entry.place.span.line, "").strip()
            element = json.dumps(self._element(entry, text), indent=2)
            self._output.stream.write(self._separator + element)
            self._separator = ",\n"

    def finish(self, complete: bool = True) -> None:
        """Close the array."""
        self._output.stream.write("[]\n" if self._separator == "[\n" else "\n]\n")

    def _element(self, entry: Entry, text: str) -> dict[str, Any]:
        code, span, path = entry.code or entry.name, entry.place.in_file, self._path(entry)
        return {
            "check_name": code,
            "description": f"{code}: {entry.told}",
            "severity": _SEVERITIES[entry.severity],
            "fingerprint": self._fingerprint(path, code, entry.scope, text),
            "location": {
                "path": path,
                "positions": {
                    "begin": {"line": span.line, "column": span.column + 1},
                    "end": {"line": span.end_line, "column": span.end_column + 1},
                },
            },
        }

    def _path(self, entry: Entry) -> str:
        path = entry.place.filename
        if os.path.isabs(path):
            try:
                path = os.path.relpath(path, self._root)
            except ValueError:  # on another drive
                return path
        return path.replace(os.sep, "/")

    def _fingerprint(self, *parts: str) -> str:
        """Return what stays the same while lines above come and go, and no other element has."""
        same = "\0".join(parts)
        self._seen[same] += 1
        text = f"{same}\0{self._seen[same]}"
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
