"""How findings are written: one file a format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torchdev_lint.report import FileReport


class Reporter(Protocol):
    """Writes reports as they come in, so that a long run needs no memory for them."""

    def add(self, report: FileReport) -> None:
        """Write one file's findings."""

    def finish(self) -> None:
        """Write what comes after the last file."""
