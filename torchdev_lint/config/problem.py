"""Settings that can't be used: a line for each, and nothing is linted."""

from __future__ import annotations

from collections.abc import Iterable


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
        self._others: tuple[SettingsProblem, ...] = ()

    def __str__(self) -> str:
        return "\n".join(problem._line() for problem in (self, *self._others))

    def _line(self) -> str:
        # Imported late: who only wants to know what is `closest` has no problem yet.
        from torchdev_lint.source.problem import Problem

        if not self.path:
            return str(Problem("torchdev-lint", self.message))
        return str(Problem(self.path, self.message, self.line))


def raise_all(problems: Iterable[SettingsProblem]) -> None:
    """Raise all that is wrong as one problem, in the order of the file; nothing if nothing is.

    Raises:
        SettingsProblem: something is.
    """
    in_order = sorted(problems, key=lambda each: (each.path, each.line or 0))
    if in_order:
        in_order[0]._others = tuple(in_order[1:])
        raise in_order[0]


def closest(name: str, known: list[str]) -> str:
    """Say which of the names that there are was meant, as the end of a sentence.

    Of names that are equally near it is the one that begins alike.
    """
    # Imported late: nearly all names are right.
    from difflib import SequenceMatcher, get_close_matches
    from itertools import takewhile

    def distance(other: str) -> tuple[float, int, str]:
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(other, name, strict=False))
        return -SequenceMatcher(None, other, name).ratio(), -len(list(pairs)), other

    near = get_close_matches(name, known, max(1, len(known)))
    return f"; did you mean `{min(near, key=distance)}`?" if near else ""
