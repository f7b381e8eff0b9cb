"""Which of many edits made at once have to do with a place: those that are nearest to it."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import TypeAlias

from torchdev_lint.applying.version import Version
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.walking import walk

Suspects: TypeAlias = "frozenset[int]"
"""Fixes, by their numbers, one of which must have to do with something."""

Lines: TypeAlias = "tuple[int, int]"
"""The first and the last of some lines, counted from 1."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A stretch of text that fixes have written.

    Args:
        start: its first character.
        end: the character after its last one.
        suspects: the fixes of which one has written it, or has made it necessary.
    """

    start: int
    end: int
    suspects: Suspects


class Blame:
    """Says what has been written near a place in a version of a file.

    Args:
        version: the file, with all that was written.
        zones: what was written.
    """

    def __init__(self, version: Version, zones: Iterable[Zone]) -> None:
        self._enclosing = _Enclosing(version.tree, len(version.source.lines))
        place = version.text.place
        lines = sorted(
            (place(zone.start)[0], place(zone.end)[0], number) for number, zone in enumerate(zones)
        )
        by_number = [zone.suspects for zone in zones]
        self._first = [first for first, _, _ in lines]
        self._last = [last for _, last, _ in lines]
        # Hardly ever does a stretch reach into the next one, so that this is `_last` itself.
        self._reached = list(accumulate(self._last, max))
        self._suspects = [by_number[number] for _, _, number in lines]
        self._all = frozenset[int]().union(*self._suspects)
        self._known: dict[Lines, Suspects] = {}

    def suspects(self, places: Iterable[Lines]) -> Suspects:
        """Return the fixes that wrote nearest to any of some places.

        That is on their lines; if there is nothing, in the function or class around one of them,
        from inside out; if there is nothing either, anywhere.
        """
        around = list(places)
        while around:
            found = set(map(self._within, around)) - {frozenset[int]()}
            if found:
                return found.pop() if len(found) == 1 else frozenset[int]().union(*found)
            wider = (self._enclosing.lines_around(lines) for lines in around)
            around = [lines for lines in wider if lines is not None]
        return self._all

    def _within(self, lines: Lines) -> Suspects:
        if lines not in self._known:
            start, end = bisect_left(self._reached, lines[0]), bisect_right(self._first, lines[1])
            near = (n for n in range(start, end) if self._last[n] >= lines[0])
            self._known[lines] = frozenset[int]().union(*(self._suspects[n] for n in near))
        return self._known[lines]


class _Enclosing:
    """The functions and classes around lines.

    Args:
        tree: the syntax tree.
        count: how many lines there are.
    """

    def __init__(self, tree: ast.Module, count: int) -> None:
        self._stretches: list[Lines] = []
        self._around: list[int | None] = []
        self._innermost: list[int | None] = [None] * (count + 2)
        for node in walk(tree):  # what is around something comes before it
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first, last = node.lineno, node.end_lineno or node.lineno
                number = len(self._stretches)
                self._stretches.append((first, last))
                self._around.append(self._innermost[first])
                self._innermost[first : last + 1] = [number] * (last + 1 - first)

    def lines_around(self, lines: Lines) -> Lines | None:
        """Return the lines of the innermost function or class around some; None: the file's."""
        number = self._innermost[lines[0]]
        while number is not None:
            first, last = self._stretches[number]
            if (first, last) != lines and first <= lines[0] and lines[1] <= last:
                return first, last
            number = self._around[number]
        return None


def numbered(groups: Iterable[Suspects]) -> dict[int, int]:
    """Number suspects from 0 on, so that no two of one group have the same number.

    Groups that have nothing to do with each other use the same numbers.
    """
    above: dict[int, int] = {}

    def first(member: int) -> int:
        while above.setdefault(member, member) != member:
            above[member] = member = above[above[member]]
        return member

    for group in set(groups):
        lowest = min(group)
        for member in group:
            above[first(member)] = first(lowest)
    counts: Counter[int] = Counter()
    numbers: dict[int, int] = {}
    for member in sorted(above):
        together = first(member)
        numbers[member] = counts[together]
        counts[together] += 1
    return numbers
