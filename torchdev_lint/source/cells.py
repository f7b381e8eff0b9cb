"""The cells of a notebook, as places in the program that they make together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from torchdev_lint.records import dataclass, replace
from torchdev_lint.source.span import Span


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that holds code.

    Args:
        number: which cell of the notebook it is, counted from 1.
        line: the first of its lines in the program, counted from 1.
        file_line: the line of the file on which that one stands.
        step: how many lines of the file each further one takes; 0: all stand on one.
    """

    number: int
    line: int
    file_line: int
    step: int


Cells = tuple[Cell, ...]
"""The cells of a notebook in order; empty: it is no notebook."""


def cell_at(cells: Cells, line: int) -> Cell | None:
    """Return the cell that a line of the program is in; None if it is no notebook."""
    found = bisect_right(cells, line, key=lambda cell: cell.line)
    return cells[found - 1] if found else None


def in_cell(cells: Cells, span: Span) -> Span:
    """Return a place of the program as lines of its cell."""
    cell = cell_at(cells, span.line)
    return span if cell is None else shifted(span, 1 - cell.line)


def in_file(cells: Cells, span: Span) -> Span:
    """Return where a place of the program begins in the file: of a notebook, on which line."""
    if not cells:
        return span
    line = line_in_file(cells, span.line)
    return Span(line, 0, line, 0)


def line_in_file(cells: Cells, line: int) -> int:
    """Return the line of the file on which a line of the program stands."""
    cell = cell_at(cells, line)
    return line if cell is None else cell.file_line + (line - cell.line) * cell.step


def line_in_words(cells: Cells, line: int) -> str:
    """Return a line of the program as a message names it."""
    cell = cell_at(cells, line)
    return str(line) if cell is None else f"{line - cell.line + 1} of cell {cell.number}"


def lines_of(cells: Cells, cell: Cell | None, lines: Mapping[int, str]) -> dict[int, str]:
    """Return the lines of one cell, numbered as they are there.

    Args:
        cells: all cells.
        cell: the cell; None if it is no notebook.
        lines: lines of the program, by number.
    """
    if cell is None:
        return dict(lines)
    return {
        number - cell.line + 1: text
        for number, text in lines.items()
        if cell_at(cells, number) == cell
    }


def shifted(span: Span, by: int) -> Span:
    """Return a place some lines further down."""
    return replace(span, line=span.line + by, end_line=span.end_line + by)
