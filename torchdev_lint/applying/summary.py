"""What is said about the fixes of a run."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, TextIO

from torchdev_lint.source.shown import count, located, shown

if TYPE_CHECKING:
    from torchdev_lint.report import Repairs
    from torchdev_lint.source.cells import Cells


class Summary:
    """Collects what was fixed, and says so.

    Args:
        enumerate_fixes: whether to list what was fixed in which file.
    """

    def __init__(self, enumerate_fixes: bool) -> None:
        self._enumerate = enumerate_fixes
        self._names: dict[str, str] = {}
        self._counts: dict[str, Counter[str]] = {}
        self.fixed = self.left = 0

    def add(self, path: str, repairs: Repairs, cells: Cells = ()) -> None:
        """Take in what happened to one file.

        Args:
            path: the path as it is shown to the user.
            repairs: what was done.
            cells: of a notebook where its cells are.
        """
        self.left += repairs.left
        self.fixed += len(repairs.fixed)
        if repairs.fixed:
            self._counts[path] = Counter(finding.code for finding in repairs.fixed)
            self._names.update({finding.code: finding.name for finding in repairs.fixed})
        for finding in repairs.withdrawn:
            place = located(path, cells, finding.span)
            print(
                f"{place}: warning: the fix of {finding.code} was withdrawn: "
                "the file would not be right with it",
                file=sys.stderr,
            )

    def write(self, stream: TextIO, dry: bool) -> None:
        """Say what was fixed, and how much.

        Args:
            stream: where to write.
            dry: whether nothing was written.
        """
        self.write_list(stream, dry)
        if dry:
            if not self._enumerate and self.fixed:
                stream.write(f"Would fix {count(self.fixed, 'finding')}.\n")
        elif self.fixed:
            total = count(self.fixed + self.left, "finding")
            stream.write(f"Found {total} ({self.fixed} fixed, {self.left} remaining).\n")

    def write_list(self, stream: TextIO, dry: bool) -> None:
        """Say what was fixed in which file, where that is wanted."""
        if self._enumerate and self.fixed:
            self._list(stream, f"{'Would fix' if dry else 'Fixed'} {count(self.fixed, 'finding')}")

    def write_interrupted(self, stream: TextIO) -> None:
        """Say what had been fixed in which file when the run was interrupted."""
        if self.fixed:
            self._list(stream, f"Fixed {count(self.fixed, 'finding')} before the interruption")

    def _list(self, stream: TextIO, heading: str) -> None:
        stream.write(f"{heading}:\n")
        for path, counts in self._counts.items():
            stream.write(f"- {shown(path)}:\n")
            for code, number in sorted(counts.items()):
                stream.write(f"    {number} × {code} ({self._names[code]})\n")
