"""What a fix changes, as a small difference: the lines that go, and those that come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from torchdev_lint.reporters.excerpt import shortened
from torchdev_lint.reporters.style import BLUE, GREEN, RED, Style
from torchdev_lint.source.source import NEWLINE

if TYPE_CHECKING:
    from torchdev_lint.change import Replace

_MOST_LINES = 12
"""A difference of more lines is no small one: `--diff` shows it."""


def hunk(lines: Mapping[int, str], edits: Sequence[Replace], width: int, style: Style) -> list[str]:
    """Return the lines that show what edits change.

    Args:
        lines: the lines of the file in which edits begin and end, by number.
        edits: what is replaced, in the order of the file.
        width: how many columns line numbers have.
        style: what the terminal can do.
    """
    edge = style.paint(" " * width + " |", BLUE)
    rows, shift = list[str](), 0
    for group in _by_lines(edits):
        numbers = range(group[0].span.line, max(edit.span.end_line for edit in group) + 1)
        if not all(number in lines for number in numbers):
            return []
        before = [lines[number] for number in numbers]
        after = _after(before, group, numbers[0])
        for line, sign, text in _changed(before, after):
            number = numbers[line] if sign == "-" else numbers[0] + line + shift
            margin = style.paint(f"{number:>{width}} ", BLUE)
            colour = RED if sign == "-" else GREEN
            rows.append(margin + style.paint(f"{sign} {shortened(text)}".rstrip(), colour))
        shift += len(after) - len(before)
    return [edge, *rows, edge] if 0 < len(rows) <= _MOST_LINES else []


def _by_lines(edits: Sequence[Replace]) -> Iterator[list[Replace]]:
    """Yield edits together that share a line."""
    group: list[Replace] = []
    end = 0
    for edit in edits:
        if group and edit.span.line > end:
            yield group
            group = []
        group.append(edit)
        end = max(end, edit.span.end_line)
    if group:
        yield group


def _after(before: Sequence[str], edits: Sequence[Replace], first: int) -> list[str]:
    """Return what becomes of lines.

    Args:
        before: the lines as they are.
        edits: what to replace in them.
        first: the number of the first one.
    """
    lines = list(before)
    for edit in reversed(edits):
        span = edit.span
        start, end = span.line - first, span.end_line - first
        text = lines[start][: span.column] + edit.text + lines[end][span.end_column :]
        lines[start : end + 1] = NEWLINE.split(text)
    return lines


def _changed(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the lines that go and come: which one, sign, text."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    tail = 0
    while tail < min(len(before), len(after)) - same and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    for sign, lines in (("-", before), ("+", after)):
        for number in range(same, len(lines) - tail):
            yield number, sign, lines[number]
