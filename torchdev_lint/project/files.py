"""The files of a project, read and parsed when an import leads to them, and kept for a while."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TypeVar, cast

from torchdev_lint.catalog.told import now
from torchdev_lint.digest import blake2b
from torchdev_lint.project.seen import Content, State, is_settled, saw_file, state_of
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source, SourceError, is_notebook, read_bytes
from torchdev_lint.syntax.scopes import Syntax

T = TypeVar("T")
Given = TypeVar("Given", bound=Hashable)

_MOST_BYTES = 1_000_000
"""How large a file may be that is read for what it defines."""
_MOST_OF_A_NOTEBOOK = 5_000_000
"""How large a notebook may be, most of which is what its cells have put out."""
_KEPT_BYTES = 3_000_000
"""How many bytes of source the files have at the most whose trees are kept: a tree is some forty
times as large."""
_UNSEEN: State = (-1, -1, -1, -1)
"""The state of a file whose text came from elsewhere: nobody has asked for it."""


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

    @property
    def syntax(self) -> Syntax:
        """Its tree with the way back from a node to what it is part of."""
        return self.derived(_syntax_of)

    def derived(self, make: Callable[[ParsedFile], T]) -> T:
        """Return something that follows from the file, made when it is first asked for."""
        key = make, now()  # what a user tells of names may make it another one
        if key not in self._derived:
            self._derived[key] = make(self)
        return cast("T", self._derived[key])

    def derived_with(self, make: Callable[[ParsedFile, Given], T], given: Given) -> T:
        """Return something that follows from the file and what else is given.

        Args:
            make: makes it, of nothing else that may change.
            given: what it is made of besides; it has a hash.
        """
        key = make, given, now()
        if key not in self._derived:
            self._derived[key] = make(self, given)
        return cast("T", self._derived[key])


def _syntax_of(file: ParsedFile) -> Syntax:
    return Syntax(file.tree)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What came out of a file when it was read."""

    content: Content
    parsed: ParsedFile | None


class _Shelf:
    """What was parsed last; who comes again finds it while the file is unchanged."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._bytes = 0

    def take(self, path: str) -> _Kept:
        """Return what comes out of a file."""
        state = state_of(path)
        kept = self._kept.get(path)
        if kept is not None and kept.content.state == state:
            self._kept.move_to_end(path)
            return kept
        return self._put(path, _read(path, state, kept))

    def parse(self, path: str, source: Source) -> ast.Module:
        """Return the tree of a text, and keep it in case the file is asked for that it is of.

        Args:
            path: the file; its text may be another one by now.
        """
        kept = self._kept.get(path)
        if kept is not None and kept.parsed is not None and kept.parsed.source.data == source.data:
            return kept.parsed.tree
        tree = source.parse()
        if len(source.data) <= most_bytes(path):
            content = Content(_UNSEEN, digest_of(source.data), settled=False)
            self._put(path, _Kept(content, ParsedFile(path, tree, source)))
        return tree

    def _put(self, path: str, kept: _Kept) -> _Kept:
        if path in self._kept:
            self._bytes -= _size(self._kept.pop(path))
        self._kept[path] = kept
        self._bytes += _size(kept)
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])
        return kept


_SHELF = _Shelf()


def parsed_file(path: str) -> ParsedFile | None:
    """Return a file of the project, None if it can't be read or parsed: then nothing is known."""
    kept = _SHELF.take(path)
    saw_file(path, kept.content)
    return kept.parsed


def tree_of(source: Source, path: str) -> ast.Module:
    """Return the tree of a text that is linted: files that import it find it, and it theirs.

    Args:
        path: the file that it was read from, absolute; empty if it is of no project.

    Raises:
        SyntaxProblem: the text isn't valid Python, or too deeply nested for the parser.
    """
    return _SHELF.parse(path, source) if path else source.parse()


def source_of(path: str) -> Source | None:
    """Return a file of the project that need not be parsed, None if it can't be read."""
    content, data = read_content(path, state_of(path))
    saw_file(path, content)
    return _decoded(path, data)


def read_content(path: str, state: State) -> tuple[Content, bytes | None]:
    """Read a file.

    Args:
        path: the file.
        state: its state; it is asked for before the file is read, which may change meanwhile.

    Returns:
        What can be told again of what it holds, and the bytes; None if it can't be read.
    """
    try:
        data = read_bytes(path)
    except SourceError:
        return Content(state, b"", is_settled(state)), None
    return content_of(state, data), data


def content_of(state: State, data: bytes) -> Content:
    """Return what can be told again of what a file holds.

    Args:
        state: its state before it was read.
        data: its bytes.
    """
    return Content(state, digest_of(data), is_settled(state))


def most_bytes(path: str) -> int:
    """Return how large a file may be that is read for what it defines or uses."""
    return _MOST_OF_A_NOTEBOOK if is_notebook(path) else _MOST_BYTES


def digest_of(data: bytes) -> bytes:
    """Return a number of fixed length that no other bytes have."""
    return blake2b(data, digest_size=16).digest()


def _read(path: str, state: State, before: _Kept | None) -> _Kept:
    """Read a file, and parse it, unless it holds what it held before."""
    content, data = read_content(path, state)
    if before is not None and before.content.digest == content.digest:
        return _Kept(content, before.parsed)
    if data is not None and len(data) > most_bytes(path):
        data = None
    source = _decoded(path, data)
    if source is None:
        return _Kept(content, None)
    try:
        return _Kept(content, ParsedFile(path, source.parse(), source))
    except SourceError:
        return _Kept(content, None)


def _decoded(path: str, data: bytes | None) -> Source | None:
    try:
        return None if data is None else Source.from_bytes(data, path)
    except SourceError:
        return None


def _size(kept: _Kept) -> int:
    return 0 if kept.parsed is None else len(kept.parsed.source.text)
