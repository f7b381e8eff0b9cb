"""What the server asks the process in which files are analysed, and what that answers.

Each question brings the texts along that the editor holds. The server itself imports nothing of
what answers them, which takes long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from torchdev_lint.records import dataclass
from torchdev_lint.report import FileReport
from torchdev_lint.source.cells import Cells

About: TypeAlias = Literal["nothing", "findings", "fixing", "silencing", "hints"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be found out.

    Args:
        texts: what the editor holds, by the path of the file, absolute.
        about: what sort of thing: there is a function for each in `work`.
        arguments: what that is handed: the path of a file, and what else it needs.
    """

    texts: Mapping[str, bytes]
    about: About
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Nothing could be found out.

    Args:
        message: why, in one line.
    """

    message: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a file.

    Args:
        report: that, with what its fixes replace.
        trouble: what is wrong with the settings, so that nothing was looked for.
        read: the files that it rests on, absolute.
        searched: the folders of which it rests on all files.
    """

    report: FileReport
    trouble: str = ""
    read: frozenset[str] = frozenset()
    searched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hint:
    """A word on something that a file binds.

    Args:
        line: where that ends, counted from 1.
        column: the character there, counted from 0.
        where: where it lives, such as `on the CPU`.
        words: what it is, and where it lives.
    """

    line: int
    column: int
    where: str
    words: str


@dataclass(frozen=True, slots=True)
class Hints:
    """The words on what a file binds, by position.

    Args:
        hints: these.
        cells: where its cells are, if it is a notebook.
    """

    hints: tuple[Hint, ...] = ()
    cells: Cells = ()


def answer(question: Question) -> object:
    """Return what is asked for, or a `Failure`; it runs in the other process."""
    from torchdev_lint.server.work import answered

    return answered(question)
