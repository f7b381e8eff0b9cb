"""How names and texts of files are shown to people: nothing in them can pose as something else.

A terminal obeys control characters, and the logs of CI services obey lines that begin with `::`
(`::error file=…::`) or hold `##[error]`, `##vso[…]` and the like.
"""

from __future__ import annotations

import os
import re

from torchdev_lint.source.cells import Cells, cell_at, in_cell
from torchdev_lint.source.span import Span

_SERVICE_COMMAND = re.compile(r"##(?=\w*\[)")
_LINE_COMMAND = "::"


def shown(text: str) -> str:
    r"""Return a text as it may stand in a line: with `\x1b` for an escape, `\n` for a newline.

    So is shown what Python doesn't hold for printable, marks that turn the direction of writing
    among it; backslashes are not doubled.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _escape(c) for c in text)
    return _SERVICE_COMMAND.sub(r"#\\x23", text)


def shown_path(path: str) -> str:
    """Return a path as it may stand at the beginning of a line."""
    text = shown(path)
    return f"./{text}" if text.lstrip().startswith(_LINE_COMMAND) else text


def located(path: str, cells: Cells, span: Span) -> str:
    """Return where something begins, as editors and terminals find it.

    Args:
        path: the file.
        cells: of a notebook where its cells are.
        span: the place, of a notebook in the program.
    """
    return f"{shown_path(path)}:{place_in(cells, span)}"


def place_in(cells: Cells, span: Span) -> str:
    """Return where something begins in its file, as `located` does."""
    cell, span = cell_at(cells, span.line), in_cell(cells, span)
    number = "" if cell is None else f"cell {cell.number}:"
    return f"{number}{span.line}:{span.column + 1}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things, such as `3 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def beside(path: str, known: str) -> str:
    """Return an absolute path as the user would write it who wrote another one like this.

    Args:
        path: the absolute path.
        known: the path of another file, as the user wrote it.
    """
    if os.path.isabs(known):
        return path
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return path


def from_here(path: str) -> str:
    """Return an absolute path as it is shown: from the current folder, where it lies below that."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):  # on another drive, or there is no current folder
        return path
    return path if relative.split(os.sep)[0] == os.pardir else relative


def shown_lines(data: bytes) -> str:
    """Return lines for a terminal, with their ends and tabs as they are."""
    text = data.decode("utf-8", "backslashreplace")
    return "".join(_shown_line(line) for line in re.findall(r"[^\n]*\n|[^\n]+", text))


def _shown_line(line: str) -> str:
    text = line.rstrip("\r\n")
    return "\t".join(shown(part) for part in text.split("\t")) + line[len(text) :]


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
