"""JUnit's XML, as CI services show test results: a suite a file, a failed case a finding."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from torchdev_lint.reporters.entry import entries
from torchdev_lint.source.shown import shown

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output
    from torchdev_lint.reporters.entry import Entry

_PACKAGE = "torchdev-lint"
_CLEAN = (
    f'<testsuite name="{_PACKAGE}" tests="1" failures="0" errors="0" skipped="0">'
    f'<testcase name="No findings" classname="{_PACKAGE}"/></testsuite>'
)


class JunitReporter:
    """Writes one document at the end, which begins with how many cases there are."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._suites: list[str] = []
        self._counts: Counter[str] = Counter()

    def add(self, report: FileReport) -> None:
        """Make the suite of one file."""
        found = list(entries(report, self._output))
        if not found:
            return
        counts = Counter({"tests": len(found)}) + Counter(_outcome(entry)[1] for entry in found)
        self._counts += counts
        name = quoteattr(shown(found[0].place.filename))
        cases = "".join(map(_case, found))
        self._suites.append(f"<testsuite name={name}{_attributes(counts)}>\n{cases}</testsuite>")

    def finish(self, complete: bool = True) -> None:
        """Write all of it."""
        if not self._suites:
            self._suites, self._counts = [_CLEAN], Counter(tests=1)
        self._output.stream.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<testsuites name="{_PACKAGE}"{_attributes(self._counts)}>\n'
            + "\n".join(self._suites)
            + "\n</testsuites>\n"
        )


def _attributes(counts: Counter[str]) -> str:
    names = ("tests", "failures", "errors", "skipped")
    return "".join(f' {name}="{counts[name]}"' for name in names)


def _outcome(entry: Entry) -> tuple[str, str]:
    """Return the element that says how a case ended, and the attribute that counts such cases."""
    if entry.is_finding:
        return "failure", "failures"
    return ("skipped", "skipped") if entry.severity is None else ("error", "errors")


def _case(entry: Entry) -> str:
    code, span = entry.code or entry.name, entry.place.in_file
    stem = quoteattr(shown(os.path.splitext(entry.place.filename)[0]))
    message = quoteattr(shown(entry.told))
    text = f"line {span.line}, col {span.column + 1}, {shown(entry.told)}"
    for place in entry.related:
        text += f"\n{shown(place.path)}:{place.in_file.line}: {shown(place.message)}"
    element, _ = _outcome(entry)
    kind = f" type={quoteattr(entry.name)}" if element != "skipped" else ""
    return (
        f'<testcase name="{_PACKAGE}.{code}" classname={stem} line="{span.line}"'
        f' column="{span.column + 1}">\n'
        f"<{element} message={message}{kind}>{escape(text)}</{element}>\n</testcase>\n"
    )
