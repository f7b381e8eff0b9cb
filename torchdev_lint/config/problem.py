"""Settings that can't be used: one line, and nothing is linted."""

from __future__ import annotations


class SettingsProblem(Exception):
    """Something is wrong with what was set.

    Args:
        message: what.
        path: the file in which it was set; empty: on the command line.
        line: the line it is on, where known.
    """

    def __init__(self, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line

    def __str__(self) -> str:
        # Imported late: who only wants to know what is `closest` has no problem yet.
        from torchdev_lint.source.problem import Problem

        if not self.path:
            return str(Problem("torchdev-lint", self.message))
        return str(Problem(self.path, self.message, self.line))


def closest(name: str, known: list[str]) -> str:
    """Say which of the names that there are was meant, as the end of a sentence."""
    # Imported late: nearly all names are right.
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"; did you mean `{near[0]}`?" if near else ""
