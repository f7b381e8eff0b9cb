"""How findings are written: one file a format; `choice` knows which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TextIO

from torchdev_lint.records import dataclass
from torchdev_lint.reporters.style import PLAIN, Style

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport


@dataclass(frozen=True, slots=True)
class Output:
    """Where findings go, and what all formats are told.

    Args:
        stream: where to write.
        unsafe: whether unsafe fixes count as well.
        quiet: whether not to sum up.
        style: colours and links.
        nameless: the path that stands for standard input where that has no name; empty if it has.
    """

    stream: TextIO
    unsafe: bool = False
    quiet: bool = False
    style: Style = PLAIN
    nameless: str = ""


class Reporter(Protocol):
    """Writes reports as they come in, so that a long run needs no memory for them."""

    def add(self, report: FileReport) -> None:
        """Write what came out of one file, or why nothing did."""

    def finish(self, complete: bool = True) -> None:
        """Write what comes after the last file.

        Args:
            complete: whether all files were dealt with; otherwise the run was interrupted.
        """
