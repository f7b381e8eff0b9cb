"""Places in texts, as the protocol counts them.

It counts lines from 0, and columns in units of the encoding that client and server agree on: UTF-16
where they have said nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from torchdev_lint.server.documents import Document, Text
from torchdev_lint.source.cells import Cells, cell_at, in_cell
from torchdev_lint.source.span import Span

_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


def lines_of(text: str) -> list[str]:
    """Split a text into its lines, each with its end, where Python and the protocol split it."""
    return [line for line in _END.split(text) if line]


class Places:
    """Converts between places in a text and those of the protocol.

    Args:
        lines: the lines of the text.
        encoding: that of the protocol, such as `utf-16`.
    """

    def __init__(self, lines: Sequence[str], encoding: str) -> None:
        self._lines = lines
        self._encoding = encoding

    def position(self, line: int, column: int) -> types.Position:
        """Return a place.

        Args:
            line: counted from 1.
            column: the character, counted from 0.
        """
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return types.Position(line - 1, units(text[:column], self._encoding))

    def range(self, span: Span) -> types.Range:
        """Return a stretch of text."""
        return types.Range(
            self.position(span.line, span.column), self.position(span.end_line, span.end_column)
        )

    def end(self, count: int) -> types.Position:
        """Return the place behind so many lines."""
        if count < len(self._lines) or not self._lines or self._lines[-1][-1] in "\r\n":
            return types.Position(count, 0)
        return self.position(count, len(self._lines[count - 1]))

    def column(self, position: types.Position) -> int:
        """Return the character, counted from 0, at a place."""
        line = self._lines[position.line] if 0 <= position.line < len(self._lines) else ""
        passed = 0
        for column, character in enumerate(line):
            if passed >= position.character:
                return column
            passed += units(character, self._encoding)
        return len(line)


class Spots:
    """Finds places of a program in the texts that the editor shows of it.

    Args:
        document: what holds these.
        cells: where its cells are in the program; none where it is no notebook.
        encoding: that of the protocol.
    """

    def __init__(self, document: Document, cells: Cells, encoding: str) -> None:
        self._document = document
        self._cells = cells
        self._encoding = encoding
        self._places: dict[str, Places] = {}

    def text_at(self, line: int) -> Text:
        """Return the text that holds a line of the program, counted from 1."""
        cell = cell_at(self._cells, line)
        return self._document.texts[0 if cell is None else cell.number - 1]

    def location(self, span: Span) -> types.Location:
        """Return a place of the program."""
        text = self.text_at(span.line)
        return types.Location(text.uri, self.places(text).range(in_cell(self._cells, span)))

    def places(self, text: Text) -> Places:
        """Return what converts places in a text."""
        if text.uri not in self._places:
            self._places[text.uri] = Places(lines_of(text.content), self._encoding)
        return self._places[text.uri]


def changed(text: str, change: types.TextDocumentContentChangeEvent, encoding: str) -> str:
    """Return a text after a change to it, or to a part of it."""
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return change.text
    lines = lines_of(text)
    places = Places(lines, encoding)
    start, end = (
        sum(map(len, lines[: place.line])) + places.column(place)
        for place in (change.range.start, change.range.end)
    )
    return text[:start] + change.text + text[end:]


def name_of(encoding: types.PositionEncodingKind | str | None) -> str:
    """Return how an encoding is called that was agreed on."""
    return str(getattr(encoding, "value", encoding))


def units(text: str, encoding: str) -> int:
    """Return how many units of an encoding a text takes."""
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32.value:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8.value:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def overlap(one: types.Location, other: types.Location) -> bool:
    """Whether two stretches of texts have something in common, if only where they touch."""
    if one.uri != other.uri:
        return False
    first, second = one.range, other.range
    return _key(first.start) <= _key(second.end) and _key(second.start) <= _key(first.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
