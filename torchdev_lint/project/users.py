"""Which files of a project name something: whatever uses what a file defines has to.

Files are searched for words, not parsed. The words of what is searched time and again are kept as
numbers, while the file is unchanged: to look them up takes a hundredth of the time.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from torchdev_lint.digest import blake2b
from torchdev_lint.project.files import most_bytes
from torchdev_lint.project.roots import folders_up
from torchdev_lint.project.seen import (
    ABSENT,
    Project,
    State,
    found_users,
    in_one_moment,
    is_settled,
    saw_project,
    state_of,
)
from torchdev_lint.project.tree import is_root, package_root
from torchdev_lint.records import dataclass
from torchdev_lint.source.discovery import ENVIRONMENT_MARK, EXCLUDED_FOLDERS
from torchdev_lint.source.source import NOTEBOOK, SourceError, is_notebook, read_bytes


class Limits(NamedTuple):
    """How much is searched; of what lies further away from the file nothing is known.

    Args:
        files: how many files.
        size: how many bytes they may have.
        folders: how many folders are looked into.
    """

    files: int
    size: int
    folders: int


IN_A_PROJECT = Limits(10_000, 150_000_000, 10_000)
WITHOUT_ROOT = Limits(400, 6_000_000, 100)
"""Where nothing says where the project begins: what lies below may be anything, a whole home."""
_SEARCHES = 3
"""So often a module is searched before its words are kept: to find all of them takes as long.

Those of a notebook are kept at once: most of it is no code, and is left out."""
_NO_WORD = bytes(
    byte if byte > 127 or chr(byte).isalnum() or byte == ord("_") else ord(" ")
    for byte in range(256)
)
"""Makes a space of every byte that is no part of a name."""

_ENDINGS = (".py", NOTEBOOK)
"""What files are called that may use others."""
_OUTPUT = re.compile(rb'"[^" ]{1000,}"')
"""A picture in a notebook: nearly all of what it holds."""
_TIMES_ITS_CODE = 10
"""How many times as large a notebook is as what is read of it."""
_TEST = re.compile(r"(test_.*|.*_test|conftest)\.py$")
_TEST_FOLDERS = frozenset({"test", "tests"})
_SAMPLES = re.compile(
    r"data[-_]?(sets?|load(ers?|ing)|modules?|pipes?|(pre)?processing|aug(mentations?)?)?", re.I
)
"""What folders are called whose code makes samples, and batches of them."""


@dataclass(frozen=True, slots=True)
class Users:
    """The files of a project that name something.

    Args:
        files: their paths, absolute, the nearest first.
        complete: whether all files of the project were searched.
    """

    files: tuple[str, ...]
    complete: bool


def files_that_name(path: str, names: Collection[str]) -> Users:
    """Find the files of the project in which some of the names stand, in whatever sense.

    The project is the folder with its root, or, without one, what lies below the file's package.
    Links, virtual environments and folders that hold no code of its own are left out. What is
    found depends on what lies on the disk, and on nothing else.

    Args:
        path: the file that defines the names, absolute; it is not one of its users.
        names: the names.
    """
    project = project_of(path)
    before = _first_states(project)
    users = _users_of(path, project, [name.encode() for name in names])
    found_users(path, names, users.files if users.complete else None)
    saw_project(project, before)
    return users


def project_of(path: str) -> str:
    """Return the folder of the project that a file belongs to."""
    return folders_up(package_root(os.path.dirname(path)))[-1]


def is_test(path: str) -> bool:
    """Return whether a file of a project is one of its tests, by its name and its folders'."""
    *folders, name = os.path.relpath(path, project_of(path)).split(os.sep)
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST.match(name) is not None


def makes_samples(path: str) -> bool:
    """Return whether a file lies in a folder of its project that is there for data sets."""
    folders = os.path.relpath(path, project_of(path)).split(os.sep)[:-1]
    return any(map(_SAMPLES.fullmatch, folders))


def is_run_as_test(path: str) -> bool:
    """Return whether a file is one that test runners look for, and that nobody imports."""
    stem, extension = os.path.splitext(os.path.basename(path))
    return extension == ".py" and (stem.startswith("test_") or stem.endswith("_test"))


def limits_in(project: str) -> Limits:
    """Return how much is searched in a folder."""
    return IN_A_PROJECT if is_root(project) else WITHOUT_ROOT


def states_in(project: str) -> Project:
    """Return a number of the states of all files that are searched in a project, and all folders.

    Args:
        project: its folder.
    """
    number, settled = blake2b(digest_size=16), True
    pending, looked, most = [project], 0, limits_in(project).folders
    while pending:
        folder = pending.pop()
        looked += 1
        if looked > most:
            return Project("", settled=False)
        files, folders = _entries(folder)
        for path in (folder, *files):
            state = state_of(path)
            settled = settled and is_settled(state)
            number.update(repr((path, state)).encode("utf-8", "surrogatepass"))
        pending += folders
    return Project(number.hexdigest(), settled)


@lru_cache(maxsize=64)
def _first_states(project: str) -> Project:
    """The states before anything was searched: what is written later makes them others."""
    return states_in(project)


def _users_of(path: str, project: str, wanted: Collection[bytes]) -> Users:
    searched, complete = _searched_for(path, project)
    numbers = [hash(word) for word in wanted]  # once for thousands of files
    found = [file for file, state in searched if _SEARCHED.any_in(file, state, wanted, numbers)]
    return Users(tuple(found), complete)


@in_one_moment
def _searched_for(path: str, project: str) -> tuple[list[tuple[str, State]], bool]:
    """The files in which it is searched for users of a file, and whether those are all there are.

    They are the same whatever is searched for: a file may have thousands of names.
    """
    searched, size = list[tuple[str, State]](), 0
    limits = limits_in(project)
    around = _Around(path, project, limits.folders)
    for file in around.files():
        state = state_of(file)
        if state == ABSENT or file == path:
            continue
        if is_notebook(file) and state[2] > most_bytes(file):
            continue
        size += state[2] // _TIMES_ITS_CODE if is_notebook(file) else state[2]
        if len(searched) >= limits.files or size > limits.size:
            return searched, False
        searched.append((file, state))
    return searched, around.complete


class _Around:
    """The Python files and notebooks of a project, those nearest to one of them first.

    Args:
        path: that file.
        project: the folder of its project.
        most: how many folders are looked into.
    """

    def __init__(self, path: str, project: str, most: int) -> None:
        self._path = path
        self._project = project
        self._left = most
        self.complete = True

    def files(self) -> Iterator[str]:
        """Yield what lies below the file's folder, then what else lies below the one above it."""
        folder, done = os.path.dirname(self._path), ""
        while done != self._project:
            yield from self._below(folder, done)
            folder, done = os.path.dirname(folder), folder

    def _below(self, top: str, done: str) -> Iterator[str]:
        """Yield the files below a folder, but for those below another one that are known."""
        pending = [top]
        while pending:
            folder = pending.pop()
            if folder == done:
                continue
            self._left -= 1
            if self._left < 0:
                self.complete = False
                return
            files, folders = _entries(folder)
            yield from files
            pending.extend(reversed(folders))


@dataclass(slots=True)
class _File:
    """A file that was searched.

    Args:
        state: the file's, when it was searched last.
        searches: how often it was, in that state.
        words: its words, as sorted numbers, if they are kept.
    """

    state: State
    searches: int = 0
    words: array[int] | None = None


class _Searched:
    """The files that were searched last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _File] = OrderedDict()

    def any_in(
        self, path: str, state: State, wanted: Collection[bytes], numbers: list[int]
    ) -> bool:
        """Whether some of the wanted words stand in a file; none does in one that can't be read.

        Args:
            numbers: those by which the words are kept.
        """
        file = self._kept.get(path)
        if file is None or file.state != state:
            file = self._kept[path] = _File(state)
            if len(self._kept) > 2 * IN_A_PROJECT.files:
                self._kept.popitem(last=False)
        self._kept.move_to_end(path)
        if file.words is not None:
            return _hold(file.words, numbers)
        file.searches += 1
        keeps = file.searches > _SEARCHES or is_notebook(path)
        data = _data_of(path)
        if not keeps and not any(word in data for word in wanted):
            return False
        words = set(data.translate(_NO_WORD).split())
        if keeps:
            file.words = array("q", sorted(map(hash, words)))
        return not words.isdisjoint(wanted)


_SEARCHED = _Searched()


def _hold(words: array[int], numbers: list[int]) -> bool:
    """Whether words have one of some numbers: asked of each file for each name of another one."""
    for number in numbers:
        place = bisect_left(words, number)
        if place < len(words) and words[place] == number:
            return True
    return False


def _data_of(path: str) -> bytes:
    try:
        data = read_bytes(path)
    except SourceError:
        return b""
    return _OUTPUT.sub(b'""', data) if is_notebook(path) else data


def _entries(folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The Python files, the notebooks and the folders in a folder, in order."""
    try:
        changed = os.stat(folder).st_mtime_ns
    except OSError:
        return (), ()
    return _listed(folder, changed)


@lru_cache(maxsize=IN_A_PROJECT.folders)
def _listed(folder: str, changed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is in a folder as it was when it was changed last."""
    del changed
    files, folders = list[str](), list[str]()
    try:
        with os.scandir(folder) as listing:
            for entry in listing:
                if entry.name == ENVIRONMENT_MARK:
                    return (), ()
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in EXCLUDED_FOLDERS:
                        folders.append(entry.path)
                elif entry.name.endswith(_ENDINGS) and entry.is_file(follow_symlinks=False):
                    files.append(entry.path)
    except OSError:
        return (), ()
    return tuple(sorted(files)), tuple(sorted(folders))
