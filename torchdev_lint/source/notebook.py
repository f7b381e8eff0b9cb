"""A notebook: its code cells in order are one program, in the text of which places are counted.

What is written back is the notebook's own text, of which only the edited stretches are other ones.
"""

from __future__ import annotations

import ast
import codecs
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from torchdev_lint.records import dataclass
from torchdev_lint.source.cells import Cell, Cells, cell_at, line_in_words
from torchdev_lint.source.magics import as_python
from torchdev_lint.source.raw_json import Stretch, characters, elements, members, value_at
from torchdev_lint.source.source import NEWLINE, OtherLanguage, Source, SourceError, SyntaxProblem

_OLDEST_FORMAT = 4
_PYTHON = "python"
_LINE = re.compile(r"\bline (\d+)")
"""How what Python says of a syntax error names another line."""
_ENDS_OF_LINES = re.compile(r"(?<=\n)")

Replacement = tuple[int, int, str]
"""The first character of a stretch of the program, the one behind it, and what comes there."""


class CannotReplace(Exception):
    """A stretch of the program is not one of the notebook's text."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a cell.

    Args:
        start: where it begins in the program.
        end: where it ends there.
        own: where it begins in the cell's own text.
        own_end: where it ends there.
        same_from: from which of its characters on it is the same there; None: nothing is.
    """

    start: int
    end: int
    own: int
    own_end: int
    same_from: int | None


@dataclass(frozen=True, slots=True)
class _CodeCell:
    """A cell of the program.

    Args:
        number: which cell of the notebook it is, counted from 1.
        strings: where the strings are in the notebook's text that make it up.
        array: where the array of them begins; None if it is a single one.
        lines: its lines.
    """

    number: int
    strings: Sequence[Stretch]
    array: int | None
    lines: Sequence[_Line]

    def own_offset(self, offset: int) -> int:
        """Return which character of the cell's own text one of the program is.

        Raises:
            CannotReplace: something else stands there in the cell.
        """
        line = self.lines[bisect_right(self.lines, offset, key=lambda line: line.start) - 1]
        if line.same_from is not None and offset - line.start >= line.same_from:
            return line.own + offset - line.start
        if line.start < offset < line.end:
            raise CannotReplace("what stands there is no Python")
        return line.own if offset == line.start else line.own_end + offset - line.end


class Notebook(Source):
    """The program of a notebook.

    Args:
        path: the path as it is shown to the user.
        data: the bytes of the file.

    Raises:
        OtherLanguage: its language is not Python.
        SourceError: it is no notebook.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self._mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        try:
            self._raw = data.removeprefix(self._mark).decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SourceError("is no notebook: not UTF-8", line) from None
        self._cells: list[_CodeCell] = []
        self._written: list[str] = []
        super().__init__(path, "".join(self._program(_content_of(self._raw))), data, "utf-8")

    @property
    def written(self) -> list[str]:
        """The lines as they stand in the notebook."""
        return self._written

    def sources(self) -> tuple[str, ...]:
        """Return what the cells hold, also those that hold no code."""
        cells = json.loads(self._raw)["cells"]
        return tuple("".join(cell.get("source", "")) for cell in cells)

    @cached_property
    def cells(self) -> Cells:
        """Where the cells are in the program, and in the file."""
        found, line, row, at = list[Cell](), 1, 1, 0
        for cell in self._cells:
            start = cell.strings[0][0]
            row, at = row + self._raw.count("\n", at, start), start
            second = cell.strings[1][0] if len(cell.strings) > 1 else start
            found.append(Cell(cell.number, line, row, min(self._raw.count("\n", at, second), 1)))
            line += len(cell.lines)
        return tuple(found)

    def parse(self) -> ast.Module:
        """Return the syntax tree of the program.

        Raises:
            SyntaxProblem: it isn't valid Python, which is told by cell and line.
        """
        try:
            return super().parse()
        except SyntaxProblem as problem:
            line = problem.line or 1
            cell = cell_at(self.cells, line)
            if cell is None:
                raise
            place = line - cell.line + 1, problem.column, cell.number
            raise SyntaxProblem(_LINE.sub(self._line_told, problem.message), *place) from None

    def _line_told(self, told: re.Match[str]) -> str:
        """Name a line that Python names in the program as one of a cell."""
        return f"line {line_in_words(self.cells, int(told[1]))}"

    def check(self, replacements: Sequence[Replacement]) -> None:
        """Make sure that something can be replaced.

        Raises:
            CannotReplace: it is not within what a cell holds itself.
        """
        for replacement in replacements:
            self._in_raw(*replacement)

    def replaced(self, replacements: Sequence[Replacement]) -> Notebook:
        """Return the notebook with stretches of its program replaced.

        Args:
            replacements: what comes where, in order, none touching another.

        Raises:
            CannotReplace: one of them is not within what a cell holds itself.
        """
        raw, text, at, done = list[str](), list[str](), 0, 0
        for start, end, content in replacements:
            text += [self.text[done:start], content]
            done = end
            start, end, written = self._in_raw(start, end, content)
            raw += [self._raw[at:start], written]
            at = end
        whole = "".join([*raw, self._raw[at:]])
        after = Notebook(self.path, self._mark + whole.encode("utf-8", "surrogatepass"))
        if after.text != "".join([*text, self.text[done:]]):
            raise CannotReplace("with it the cells would be read in another way")
        return after

    def within_cell(self, start: int, end: int, content: str) -> Replacement:
        """Return a replacement of which nothing reaches out of a cell.

        Each cell ends with what only tells it from the next one in the program, and isn't its own.

        Raises:
            CannotReplace: it is more than a cell.
        """
        cell = self._cell_at(start)
        last = cell.lines[-1].end
        if end == last + 1:
            if start > last:  # behind all cells: the last one goes on
                return last, last, ("\n" + content).removesuffix("\n")
            if content.endswith("\n"):
                return start, last, content[:-1]
            if start > cell.lines[0].start:  # the line above ends the cell then
                return start - 1, last, content
        if end > last:
            raise CannotReplace("it is more than a cell")
        return start, end, content

    def _cell_at(self, offset: int) -> _CodeCell:
        if not self._cells:
            raise CannotReplace("there is no cell")
        number = bisect_right(self._cells, offset, key=lambda cell: cell.lines[0].start)
        return self._cells[number - 1]

    def _in_raw(self, start: int, end: int, content: str) -> Replacement:
        """Return what to replace in the notebook's own text."""
        start, end, content = self.within_cell(start, end, content)
        cell = self._cell_at(start)
        places = [at for each in cell.strings for at in characters(self._raw, each)[:-1]]
        places.append(cell.strings[-1][1] - 1)
        return (
            places[cell.own_offset(start)],
            places[cell.own_offset(end)],
            self._as_raw(content, cell),
        )

    def _as_raw(self, content: str, cell: _CodeCell) -> str:
        """Return a text as it is written within the strings of a cell, a string a line."""
        as_ascii = self._raw.isascii() and "\\u" in self._raw
        lines = [content] if cell.array is None else _ENDS_OF_LINES.split(content)
        written = [json.dumps(line, ensure_ascii=as_ascii)[1:-1] for line in lines]
        if len(cell.strings) > 1:
            between = self._raw[cell.strings[0][1] : cell.strings[1][0]]
        else:
            between = "," + self._raw[(cell.array or 0) + 1 : cell.strings[0][0]]
        return f'"{between}"'.join(written)

    def _program(self, content: dict[str, Any]) -> Iterator[str]:
        """Yield the parts of the program, and note the cells."""
        at = 0
        for number, strings, array in _code_in(self._raw, content):
            own = "".join(json.loads(self._raw[start:end]) for start, end in strings)
            python, lines, own_at = as_python(own), list[_Line](), 0
            ends = [*NEWLINE.findall(own), "\n"]
            for new, old, end in zip(
                python or (), NEWLINE.split(own), ends, strict=python is not None
            ):
                stretch = at, at + len(new.text), own_at, own_at + len(old)
                lines.append(_Line(*stretch, new.same_from))
                self._written.append(old)
                yield new.text + end
                at, own_at = stretch[1] + len(end), stretch[3] + len(end)
            if lines:
                self._cells.append(_CodeCell(number, strings, array, lines))


def _content_of(raw: str) -> dict[str, Any]:
    """Return what a notebook holds.

    Raises:
        OtherLanguage: its language is not Python.
        SourceError: it is no notebook.
    """
    try:
        content = json.loads(raw)
    except json.JSONDecodeError as error:
        message = f"is no notebook: not valid JSON: {error.msg}"
        raise SourceError(message, error.lineno, error.colno) from None
    except RecursionError:
        raise SourceError("is no notebook: nested too deeply") from None
    except ValueError:  # Python reads none of thousands of digits
        raise SourceError("is no notebook: a number has too many digits") from None
    if not isinstance(content, dict):
        raise SourceError("is no notebook: it has no cells")
    version = content.get("nbformat")
    if isinstance(version, int) and version < _OLDEST_FORMAT:
        raise SourceError(
            f"is a notebook of format {version}; `jupyter nbconvert --to notebook` writes it anew"
        )
    cells = content.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise SourceError("is no notebook: it has no cells")
    language = _language_of(content.get("metadata"))
    if not language.startswith(_PYTHON):
        raise OtherLanguage(f"is a notebook, and its language is {language}")
    return content


def _language_of(metadata: object) -> str:
    for group, name in (("language_info", "name"), ("kernelspec", "language")):
        said = metadata.get(group) if isinstance(metadata, dict) else None
        language = said.get(name) if isinstance(said, dict) else None
        if isinstance(language, str) and language:
            return language.lower()
    return _PYTHON


def _code_in(raw: str, content: dict[str, Any]) -> Iterator[tuple[int, list[Stretch], int | None]]:
    """Yield the cells that hold code: number, strings, where the array of these begins.

    Args:
        raw: the notebook's text.
        content: what it holds.
    """
    array = dict(members(raw, value_at(raw)[0]))["cells"][0]
    for number, ((at, _), cell) in enumerate(
        zip(elements(raw, array), content["cells"], strict=True), 1
    ):
        source = cell.get("source")
        if cell.get("cell_type") != "code" or not source or not _is_python(cell.get("metadata")):
            continue
        stretch = dict(members(raw, at))["source"]
        if isinstance(source, str):
            yield number, [stretch], None
        elif isinstance(source, list) and all(isinstance(line, str) for line in source):
            yield number, list(elements(raw, stretch[0])), stretch[0]
        else:
            raise SourceError(f"is no notebook: the source of cell {number} is no text")


def _is_python(metadata: object) -> bool:
    """Whether a cell is said to be of no other language, as VS Code does it."""
    editor = metadata.get("vscode") if isinstance(metadata, dict) else None
    language = editor.get("languageId") if isinstance(editor, dict) else None
    return language is None or language == _PYTHON
