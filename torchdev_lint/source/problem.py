"""What stands between the linter and a file: a line on stderr, and exit code 2."""

from __future__ import annotations

import os
from typing import Literal, get_args

from torchdev_lint.records import dataclass
from torchdev_lint.source.shown import shown, shown_path

Kind = Literal["io-error", "invalid-syntax", "not-analysed", "internal-error"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that could not be linted.

    Args:
        path: the path as it is shown to the user.
        message: what is wrong.
        line: the line it is on, counted from 1, where there is one.
        column: the character on that line, counted from 1, where known.
        kind: what sort of problem it is, as formats for programs name it.
        severity: `warning` if it was linted all the same.
        cell: the cell of a notebook in which the line is.
    """

    path: str
    message: str
    line: int | None = None
    column: int | None = None
    kind: Kind = "io-error"
    severity: str = "error"
    cell: int | None = None

    def __str__(self) -> str:
        place = [shown_path(self.path)]
        place += [] if self.cell is None else [f"cell {self.cell}"]
        if self.line is not None:
            place.append(str(self.line))
            if self.column is not None:
                place.append(str(self.column))
        return f"{':'.join(place)}: {self.severity}: {shown(self.message)}"


def internal_error(error: Exception) -> str:
    """Say in one line what went wrong in the linter itself, and where."""
    return f"internal error: {described(error)}; please report it"


def described(error: BaseException) -> str:
    """Say in some words what was raised, and where."""
    at = error.__traceback__
    assert at is not None, "it was raised"
    while at.tb_next is not None:
        at = at.tb_next
    place = f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text} ({place})"
