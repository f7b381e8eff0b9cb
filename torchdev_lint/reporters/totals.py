"""What a run found, in one line or two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdev_lint.source.shown import count

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport


class Totals:
    """Counts what was found, and what of it can be fixed.

    Args:
        unsafe: whether unsafe fixes count as well.
    """

    def __init__(self, unsafe: bool) -> None:
        self._unsafe = unsafe
        self._files = self._flagged_files = self._failed = self._fixed = 0
        self._findings = self._fixable = self._hidden = 0

    def add(self, report: FileReport) -> None:
        """Count one file."""
        self._files += report.problem is None
        self._failed += report.problem is not None
        self._fixed += len(report.repairs.fixed) if report.repairs is not None else 0
        self._flagged_files += bool(report.findings)
        for finding in report.findings:
            self._findings += 1
            fixable = finding.fix_for(self._unsafe) is not None
            self._fixable += fixable
            self._hidden += finding.fix is not None and not fixable

    def text(self) -> str:
        """Return the lines that sum up."""
        checked = f"{count(self._files, 'file')} checked"
        checked += f", {self._failed} failed" if self._failed else ""
        if self._fixed:
            total = count(self._fixed + self._findings, "finding")
            first = f"Found {total} ({self._fixed} fixed, {self._findings} remaining).\n"
        elif self._findings:
            where = count(self._flagged_files, "file")
            first = f"{count(self._findings, 'finding')} in {where} ({checked}).\n"
        else:
            first = f"No findings ({checked}).\n"
        return first + self._about_fixes()

    def _about_fixes(self) -> str:
        hidden = f"{count(self._hidden, 'hidden fix', 'hidden fixes')} can be enabled with"
        if self._fixable:
            more = f" ({hidden} `--unsafe-fixes`)" if self._hidden else ""
            return f"[*] {self._fixable} fixable with `--fix`{more}.\n"
        return f"No fixes available ({hidden} `--unsafe-fixes`).\n" if self._hidden else ""
