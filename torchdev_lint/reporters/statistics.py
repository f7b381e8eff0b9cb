"""How many findings each rule has, in place of the findings."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from torchdev_lint.addresses import page_url
from torchdev_lint.reporters.style import RED
from torchdev_lint.reporters.totals import Totals

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport
    from torchdev_lint.reporters import Output


class _Counts:
    """Counts findings, and those that can be fixed, by rule."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._names: dict[str, str] = {}
        self._found: Counter[str] = Counter()
        self._fixable: Counter[str] = Counter()

    def add(self, report: FileReport) -> None:
        """Count one file's findings."""
        for finding in report.findings:
            self._names[finding.code] = finding.name
            self._found[finding.code] += 1
            if finding.fix_for(self._output.unsafe) is not None:
                self._fixable[finding.code] += 1

    def rows(self) -> list[tuple[int, str, str, int]]:
        """Return the rules, the most frequent first: count, code, name, fixable."""
        order = sorted(self._found.items(), key=lambda item: (-item[1], item[0]))
        return [(n, code, self._names[code], self._fixable[code]) for code, n in order]


class TextStatistics:
    """Writes a table, and a total."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._counts = _Counts(output)
        self._totals = Totals(output.unsafe)

    def add(self, report: FileReport) -> None:
        """Count one file's findings."""
        self._counts.add(report)
        self._totals.add(report)

    def finish(self, complete: bool = True) -> None:
        """Write the table."""
        rows, style = self._counts.rows(), self._output.style
        width = max((len(str(row[0])) for row in rows), default=0)
        for number, code, name, fixable in rows:
            mark = "[*]" if fixable == number else "[-]" if fixable else "[ ]"
            linked = style.link(style.paint(code, RED), page_url(code))
            self._output.stream.write(f"{number:>{width}}  {linked}  {mark} {name}\n")
        if complete and not self._output.quiet:
            self._output.stream.write(self._totals.text())


class JsonStatistics:
    """Writes an array with an object a rule, in the shape of Ruff's."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._counts = _Counts(output)

    def add(self, report: FileReport) -> None:
        """Count one file's findings."""
        self._counts.add(report)

    def finish(self, complete: bool = True) -> None:
        """Write the array."""
        rows = [
            {
                "code": code,
                "name": name,
                "count": number,
                "fixable": fixable == number,
                "fixable_count": fixable,
            }
            for number, code, name, fixable in self._counts.rows()
        ]
        self._output.stream.write(json.dumps(rows, indent=2) + "\n")
