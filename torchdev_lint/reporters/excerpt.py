"""Source lines with marks below them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torchdev_lint.records import dataclass
from torchdev_lint.reporters.style import BLUE, Style
from torchdev_lint.source.shown import shown

if TYPE_CHECKING:
    from torchdev_lint.source.span import Span

_TAB = "    "
_MAX_WIDTH = 160
_CONTEXT = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """What is to be seen below a line.

    Args:
        span: where it is.
        sign: what underlines it.
        colour: in what colour.
        note: what stands behind the underline.
    """

    span: Span
    sign: str
    colour: str
    note: str = ""


def excerpt(lines: Mapping[int, str], marks: Sequence[Mark], width: int, style: Style) -> list[str]:
    """Return the lines that show source lines and their marks.

    Args:
        lines: the source lines, by number.
        marks: what to show; of a line that isn't known, nothing.
        width: how many columns line numbers have.
        style: what the terminal can do.
    """
    edge = style.paint(" " * width + " |", BLUE)
    output, last = [edge], ""
    for mark in marks:
        number = mark.span.line
        if number not in lines:
            continue
        text, before, length = _cut(lines[number], mark.span)
        note = f" {shown(mark.note)}" if mark.note else ""
        row = style.paint(f"{number:>{width}} |", BLUE) + f" {text}".rstrip()
        output += [row] if row != last else []
        last = row
        output.append(f"{edge} {' ' * before}{style.paint(mark.sign * length + note, mark.colour)}")
    return output


def printable(text: str) -> str:
    """Return a source line as it may be shown."""
    return shown(text.replace("\t", _TAB))


def shortened(line: str) -> str:
    """Return a source line as it may be shown, and no longer than a terminal's line should be."""
    text = printable(line)
    return text if len(text) <= _MAX_WIDTH else text[:_MAX_WIDTH] + "…"


def _cut(line: str, span: Span) -> tuple[str, int, int]:
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
    before, place, after = printable(before), printable(place), printable(after)
    return before + place + after, _columns(before), max(1, _columns(place.rstrip()))


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)
