"""The files of a project, read and parsed when an import leads to them, and kept for a while."""

from __future__ import annotations

import ast
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from torchdev_lint.source.source import Source, SourceError, read_source

T = TypeVar("T")

MOST_BYTES = 1_000_000
"""How large a file may be that is read for what it defines."""
_KEPT_BYTES = 5_000_000
"""How many bytes of source the files have at the most whose trees are kept: a tree is some forty
times as large."""


@dataclass(eq=False, slots=True)
class ParsedFile:
    """A file that an import leads to.

    Args:
        path: where it lies, absolute.
        tree: its syntax tree.
        source: its text.
    """

    path: str
    tree: ast.Module
    source: Source
    _derived: dict[object, object] = field(default_factory=dict)

    def derived(self, make: Callable[[ParsedFile], T]) -> T:
        """Return something that follows from the file, made when it is first asked for."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return cast("T", self._derived[make])


class _Shelf:
    """What was parsed last; who comes again finds it while the file is unchanged."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[tuple[int, int], ParsedFile | None]] = OrderedDict()
        self._bytes = 0

    def take(self, path: str) -> ParsedFile | None:
        """Return a file, None if it can't be read or parsed."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        state = (status.st_mtime_ns, status.st_size)
        kept = self._kept.get(path)
        if kept is not None and kept[0] == state:
            self._kept.move_to_end(path)
            return kept[1]
        self._put(path, state, _parsed(path) if status.st_size <= MOST_BYTES else None)
        return self._kept[path][1]

    def _put(self, path: str, state: tuple[int, int], parsed: ParsedFile | None) -> None:
        if path in self._kept:
            self._bytes -= self._kept.pop(path)[0][1]
        self._kept[path] = (state, parsed)
        self._bytes += state[1]
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, (old, _) = self._kept.popitem(last=False)
            self._bytes -= old[1]


_SHELF = _Shelf()


def parsed_file(path: str) -> ParsedFile | None:
    """Return a file of the project, None if it can't be read or parsed: then nothing is known."""
    return _SHELF.take(path)


def _parsed(path: str) -> ParsedFile | None:
    try:
        source = read_source(path)
        return ParsedFile(path, source.parse(), source)
    except SourceError:
        return None
