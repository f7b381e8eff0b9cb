"""SARIF 2.1.0, as code scanning services take it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchdev_lint import __version__
from torchdev_lint.addresses import HOME_URL, page_url
from torchdev_lint.reporters.entry import entries

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.reporters.entry import Entry, Place
    from torchdev_lint.source.span import Span

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"
"""What stands for the current folder, so that a service can find files in its own checkout."""


class SarifReporter:
    """Writes one log with one run, result by result."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._stream = output.stream
        self._separator = f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{"results": [\n'
        self._failed = False

    def add(self, report: FileReport) -> None:
        """Write what is said of one file."""
        self._failed |= report.problem is not None
        for entry in entries(report, self._output):
            self._stream.write(self._separator + json.dumps(_result(entry), indent=2))
            self._separator = ",\n"

    def finish(self, complete: bool = True) -> None:
        """Close the results, and say what made them."""
        if self._separator != ",\n":
            self._stream.write(self._separator)
        rest = json.dumps(_about_the_run(complete and not self._failed), indent=2)
        self._stream.write(f"\n], {rest[1:-1].strip()}\n}}]}}\n")


def _about_the_run(successful: bool) -> dict[str, Any]:
    # Imported late: it takes a while, and a run that only tells what is known needs no rules.
    from torchdev_lint.rules import ALL_RULES

    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": rule.reason.strip()},
            "help": {"text": rule.summary, "markdown": rule.reason.strip()},
            **({"helpUri": url} if (url := page_url(rule.code)) else {}),
            "defaultConfiguration": {"enabled": not rule.opt_in, "level": "error"},
        }
        for rule in ALL_RULES
    ]
    driver = {
        "name": "torchdev-lint",
        "informationUri": HOME_URL,
        "version": __version__,
        "rules": rules,
    }
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "invocations": [{"executionSuccessful": successful}],
    }


def _result(entry: Entry) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _physical(entry.place)}
    if entry.scope:
        location["logicalLocations"] = [{"fullyQualifiedName": entry.scope}]
    result = {
        "ruleId": entry.code or entry.name,
        "level": entry.severity or "note",
        "message": {"text": entry.told},
        "locations": [location],
    }
    if entry.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": place.message},
                "physicalLocation": _physical(place),
            }
            for number, place in enumerate(entry.related, 1)
        ]
    if entry.fix is not None and entry.place.cell is None:
        result["fixes"] = [_fix(entry)]
    return result


def _fix(entry: Entry) -> dict[str, Any]:
    assert entry.fix is not None
    replacements = [
        {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        for edit in entry.edits
    ]
    change = {"artifactLocation": _artifact(entry.place), "replacements": replacements}
    return {
        "description": {"text": entry.fix.message},
        "artifactChanges": [change],
        "properties": {"applicability": entry.fix.applicability},
    }


def _physical(place: Place) -> dict[str, Any]:
    return {"artifactLocation": _artifact(place), "region": _region(place.in_file)}


def _artifact(place: Place) -> dict[str, str]:
    if not os.path.isabs(place.filename):  # standard input
        return {"uri": place.filename}
    path, here = Path(place.filename), Path.cwd()
    if path.is_relative_to(here):
        below = path.as_uri()[len(here.as_uri()) :].lstrip("/")
        return {"uri": below, "uriBaseId": _ROOT}
    return {"uri": path.as_uri()}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }
