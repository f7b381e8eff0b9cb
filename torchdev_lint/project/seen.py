"""What was looked at in a project, so that whoever keeps a result can tell when it is outdated.

Files that were read, folders that were searched, and the names that were looked for in them, found
or not. What looks at the project notes it here; what keeps something that follows from it is
`remembered`, and notes again what it saw.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeVar

from torchdev_lint.records import dataclass
from torchdev_lint.source.buffers import buffer_of

Function = TypeVar("Function", bound=Callable[..., Any])

State = tuple[int, int, int, int]
"""When a file or folder was changed last, its content and all else, its size, and which it is."""
ABSENT: State = (0, 0, 0, 0)
"""The state of what is not there."""
_SETTLED = 2_000_000_000
"""How many nanoseconds a change lies back after which another one has another time, on whatever
file system."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file held when it was read.

    Args:
        state: its state before that.
        digest: that of its bytes; empty if it could not be read.
        settled: whether it can't be changed any more without its state being another one; that
            comes with time, and makes no difference.
    """

    state: State
    digest: bytes
    settled: bool = field(compare=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder held when it was listed.

    Args:
        state: its state before that.
        files: the names of its files, and of whatever else is no folder.
        folders: the names of its folders.
        settled: whether it can't hold others any more without its state being another one.
    """

    state: State
    files: frozenset[str]
    folders: frozenset[str]
    settled: bool = field(compare=False)


@dataclass(frozen=True, slots=True)
class Project:
    """The states of all files and folders of a project.

    Args:
        number: a number of them; empty if there are too many.
        settled: whether nothing can change any more without its being another one.
    """

    number: str
    settled: bool


class Seen:
    """What was looked at.

    Attributes:
        files: the files that were read.
        folders: the folders in which something was looked for.
        names: what was looked for, as imports name it: `x` for a folder `x` or a file `x.py`.
        listed: those of the folders of which all Python files were taken.
        users: which files name something, by the file that defines it and the names.
        projects: the states of those whose files were searched for names.
        beginnings: where a project begins that nothing marks, by a folder of it, and the states of
            what tells it.
        parts: what was seen for something that was remembered.
        torn: whether something has changed from one look to the next.
    """

    __slots__ = (
        "__weakref__",
        "beginnings",
        "files",
        "folders",
        "listed",
        "names",
        "parts",
        "projects",
        "torn",
        "users",
    )

    def __init__(self) -> None:
        self.files: dict[str, Content] = {}
        self.folders: dict[str, Listing] = {}
        self.names: set[str] = set()
        self.listed: set[str] = set()
        self.projects: dict[str, Project] = {}
        self.users: dict[tuple[str, frozenset[str]], tuple[str, ...] | None] = {}
        self.beginnings: dict[str, tuple[str, Project]] = {}
        self.parts: set[Seen] = set()
        self.torn = False

    def add_file(self, path: str, content: Content) -> None:
        """Add a file that was read, or could not be."""
        known = self.files.setdefault(path, content)
        self.torn |= known is not content and known != content

    def add_folder(self, folder: str, listing: Listing) -> None:
        """Add a folder in which names were looked for."""
        known = self.folders.setdefault(folder, listing)
        self.torn |= known is not listing and known != listing

    def whole(self) -> Seen:
        """Return this together with what was seen for all that was remembered."""
        whole, pending, done = Seen(), [self], {self}
        while pending:
            part = pending.pop()
            for path, content in part.files.items():
                whole.add_file(path, content)
            for folder, listing in part.folders.items():
                whole.add_folder(folder, listing)
            whole.names |= part.names
            whole.listed |= part.listed
            whole.users.update(part.users)
            whole.projects.update(part.projects)
            whole.beginnings.update(part.beginnings)
            whole.torn |= part.torn
            new = part.parts - done
            done |= new
            pending += new
        return whole


_now: Seen | None = None
"""Where what is looked at is noted, if anybody wants to know."""


@contextmanager
def watching() -> Iterator[Seen]:
    """Note what is looked at meanwhile, by this thread or those that it waits for."""
    global _now
    before, _now = _now, Seen()
    try:
        yield _now
    finally:
        _now = before


def saw_file(path: str, content: Content) -> None:
    """Note that a file was read, or that it could not be."""
    if _now is not None:
        _now.add_file(path, content)


def saw_folder(folder: str, listing: Listing) -> None:
    """Note that names were looked for in a folder."""
    if _now is not None:
        _now.add_folder(folder, listing)


def looked_for(names: Iterable[str]) -> None:
    """Note which names were looked for, in whatever folders."""
    if _now is not None:
        _now.names.update(names)


def listed(folder: str) -> None:
    """Note that all Python files of a folder were taken that was searched."""
    if _now is not None:
        _now.listed.add(folder)


def found_users(path: str, names: Iterable[str], users: tuple[str, ...] | None) -> None:
    """Note which files of a project name something that a file defines; None: too many to tell."""
    if _now is not None:
        _now.users[path, frozenset(names)] = users


def saw_project(folder: str, project: Project) -> None:
    """Note that files of a project were searched, and how they were before."""
    if _now is not None:
        _now.projects[folder] = project


def found_beginning(folder: str, beginning: str, states: Project) -> None:
    """Note where the project of a folder begins, and how all was that tells it."""
    if _now is not None:
        _now.beginnings[folder] = beginning, states


_REMEMBERED: list[dict[Hashable, tuple[Any, Seen]]] = []
"""What each function keeps that is `remembered`."""


def forget_outdated() -> None:
    """Forget what rests on files that have changed since: it is found out anew when it is asked."""
    for kept in _REMEMBERED:
        for arguments, (_, seen) in list(kept.items()):
            if any(state_of(path) != file.state for path, file in seen.files.items()):
                del kept[arguments]


def remembered(function: Function) -> Function:
    """Have a function keep what it gives, and what it saw, until `forget_outdated`."""
    kept: dict[Hashable, tuple[Any, Seen]] = {}
    _REMEMBERED.append(kept)

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        return _kept_in(kept, arguments, function, arguments)

    return run  # type: ignore[return-value]  # a function of the same form


def _kept_in(
    kept: dict[Hashable, tuple[Any, Seen]],
    key: Hashable,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    """Return what a function gives, found out once, and note what it has seen."""
    known = kept.get(key)
    if known is None:
        with watching() as seen:
            known = kept[key] = function(*arguments), seen
    if _now is not None:
        _now.parts.add(known[1])
    return known[0]


_asked: dict[str, State] | None = None
"""The states that were asked for in the moment that is now, if there is one."""
_found: dict[Hashable, tuple[Any, Seen]] = {}
"""What was found out in that moment."""


@contextmanager
def at_one_moment() -> Iterator[None]:
    """Let each file and folder be in one state meanwhile: the one in which it is found first."""
    global _asked, _found
    before = _asked, _found
    _asked, _found = {}, {}
    try:
        yield
    finally:
        _asked, _found = before


def in_one_moment(function: Function) -> Function:
    """Have a function find out only once in a moment what it gives."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        if _asked is None:
            return function(*arguments)
        return _kept_in(_found, (function, arguments), function, arguments)

    return run  # type: ignore[return-value]  # a function of the same form


def state_of(path: str) -> State:
    """Return the state of a file or folder, as it is now or in this moment; links are followed."""
    if _asked is None:
        return _state_now(path)
    state = _asked.get(path)
    if state is None:
        state = _asked[path] = _state_now(path)
    return state


def _state_now(path: str) -> State:
    buffer = buffer_of(path)
    if buffer is not None:
        return 0, 0, len(buffer.data), buffer.number
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ABSENT
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def is_settled(state: State) -> bool:
    """Whether what is in this state can't change any more without being in another one."""
    return time.time_ns() - max(state[:2]) > _SETTLED
