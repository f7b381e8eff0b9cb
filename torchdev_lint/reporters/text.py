"""Text: a line a finding; on a terminal also the source lines and a summary."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, TextIO

from torchdev_lint.source.shown import beside, shown, shown_path

if TYPE_CHECKING:
    from torchdev_lint.finding import Finding
    from torchdev_lint.report import FileReport
    from torchdev_lint.source.span import Span

_BOLD, _RED, _BLUE, _RESET = "\x1b[1m", "\x1b[1;31m", "\x1b[1;34m", "\x1b[0m"
_TAB = "    "
_MAX_WIDTH = 160
_CONTEXT = 60


class TextReporter:
    """Writes `path:line:col: CODE message`; of a warning it says that it is one.

    Args:
        stream: where to write.
        colour: whether to use ANSI colours.
        snippets: whether to show the source lines below each finding and to sum up at the end.
        unsafe: whether unsafe fixes count as well.
        quiet: whether not to sum up.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        colour: bool,
        snippets: bool,
        unsafe: bool = False,
        quiet: bool = False,
    ) -> None:
        self._stream = stream
        self._quiet = quiet
        self._unsafe = unsafe
        self._fixable = self._hidden = 0
        self._colour = colour
        self._snippets = snippets
        self._files = self._findings = self._flagged_files = 0

    def add(self, report: FileReport) -> None:
        """Write one file's findings."""
        self._files += report.problem is None
        self._flagged_files += bool(report.findings)
        for finding in report.findings:
            self._findings += 1
            self._fixable += finding.fix_for(self._unsafe) is not None
            self._hidden += finding.fix is not None and finding.fix_for(self._unsafe) is None
            self._stream.write(self._headline(report.path, finding))
            if self._snippets:
                self._stream.write(self._snippet(report, finding))
        for skip in report.skipped:
            self._stream.write(f"{self._place(report.path, skip.span)} {shown(skip.message)}\n")

    def finish(self) -> None:
        """Sum up: on a terminal what was found, and anywhere what can be fixed."""
        if self._quiet:
            return
        if self._snippets:
            self._sum_up()
        hidden = f"{_count(self._hidden, 'hidden fix', 'hidden fixes')} can be enabled with"
        if self._fixable:
            more = f" ({hidden} `--unsafe-fixes`)" if self._hidden else ""
            self._stream.write(f"[*] {self._fixable} fixable with `--fix`{more}.\n")
        elif self._hidden:
            self._stream.write(f"No fixes available ({hidden} `--unsafe-fixes`).\n")

    def _sum_up(self) -> None:
        files = _count(self._files, "file")
        if self._findings:
            where = _count(self._flagged_files, "file")
            self._stream.write(
                f"{_count(self._findings, 'finding')} in {where} ({files} checked).\n"
            )
        else:
            self._stream.write(f"No findings ({files} checked).\n")

    def _headline(self, path: str, finding: Finding) -> str:
        place = self._place(path, finding.span)
        code = self._paint(finding.code, _RED)
        mark = "[*] " if finding.fix_for(self._unsafe) is not None else ""
        severity = "warning: " if finding.severity == "warning" else ""
        return f"{place} {code} {mark}{severity}{shown(finding.message)}\n"

    def _place(self, path: str, span: Span) -> str:
        return f"{self._paint(shown_path(path), _BOLD)}:{span.line}:{span.column + 1}:"

    def _snippet(self, report: FileReport, finding: Finding) -> str:
        marks = [(finding.span, "^", _RED, "")]
        marks += [
            (item.span, "-", _BLUE, " " + shown(item.message))
            for item in finding.related
            if item.path is None
        ]
        width = max(len(str(span.line)) for span, *_ in marks)
        edge = self._paint(" " * width + " |", _BLUE)
        output = [edge]
        for span, mark, colour, note in marks:
            if span.line not in report.lines:
                continue
            text, before, length = _excerpt(report.lines[span.line], span)
            output.append(self._paint(f"{span.line:>{width}} |", _BLUE) + f" {text}".rstrip())
            output.append(f"{edge} {' ' * before}{self._paint(mark * length + note, colour)}")
        for item in finding.related:
            if item.path is not None:
                place = self._place(beside(item.path, report.path), item.span)
                margin = self._paint(" " * width + " :::", _BLUE)
                output.append(f"{margin} {place} {shown(item.message)}")
        return "\n".join(output) + "\n\n"

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour else text


def _excerpt(line: str, span: Span) -> tuple[str, int, int]:
    """Make a source line fit to be shown.

    Returns:
        The line, how many columns come before the place, and how many it takes.
    """
    end = span.end_column if span.end_line == span.line else len(line)
    before, place, after = line[: span.column], line[span.column : end], line[end:]
    if len(line) > _MAX_WIDTH:
        before = "…" + before[-_CONTEXT:] if len(before) > _CONTEXT else before
        place = place[:_MAX_WIDTH] + "…" if len(place) > _MAX_WIDTH else place
        after = after[:_CONTEXT] + "…" if len(after) > _CONTEXT else after
    before, place, after = _printable(before), _printable(place), _printable(after)
    return before + place + after, _columns(before), max(1, _columns(place.rstrip()))


def _printable(text: str) -> str:
    return shown(text.replace("\t", _TAB))


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
