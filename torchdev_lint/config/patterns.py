"""Patterns of paths, read as git reads those of `.gitignore`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from torchdev_lint.source.gitignore import GitIgnore


class Patterns:
    """Patterns that were set in one place. The last one that matches decides.

    Args:
        folder: the folder that they are meant from.
        patterns: the patterns; what begins with `!` takes back.
    """

    def __init__(self, folder: str, patterns: Sequence[str]) -> None:
        self._has = within(folder)
        plain = [pattern.removeprefix("./") for pattern in patterns]
        self._all = _compiled(folder, plain)
        # What names no folder means files anywhere, also outside.
        self._names = _compiled(os.sep, [p for p in plain if "/" not in p.rstrip("/")])

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Tell whether a path is meant; None: nothing is said about it.

        Args:
            path: the path, absolute.
            is_folder: whether it is that of a folder.
        """
        return (self._all if self._has(path) else self._names).verdict(path, is_folder)

    def covers(self, path: str) -> bool:
        """Whether a file is meant, or a folder above it that is below the patterns' own."""
        if self.verdict(path, is_folder=False):
            return True
        above = os.path.dirname(path)
        while self._has(above):
            if self.verdict(above, is_folder=True):
                return True
            above = os.path.dirname(above)
        return False


def within(folder: str) -> Callable[[str], bool]:
    """Return what tells whether an absolute path lies in a folder, as the system compares names."""
    beginning = os.path.normcase(os.path.join(folder, ""))
    return lambda path: os.path.normcase(path).startswith(beginning)


def _compiled(folder: str, patterns: Sequence[str]) -> GitIgnore:
    # In a `.gitignore`, that would begin a comment.
    lines = [f"\\{pattern}" if pattern.startswith("#") else pattern for pattern in patterns]
    return GitIgnore(folder, "\n".join(lines).encode("utf-8", "surrogateescape"))
