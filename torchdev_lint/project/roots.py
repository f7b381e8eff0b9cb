"""Where a project begins: at a folder that is marked as its root, or where its imports lead to.

What was unpacked from an archive often has nothing that marks it. There a project begins at the
outermost folder that imports show: one that holds what files below it import, or programs that
import what lies in its folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from torchdev_lint.catalog.ecosystem import STAYS_A_LIBRARY
from torchdev_lint.digest import blake2b
from torchdev_lint.project.folders import listing_of
from torchdev_lint.project.python_itself import may_be_of_project
from torchdev_lint.project.seen import (
    Project,
    State,
    found_beginning,
    in_one_moment,
    is_settled,
    state_of,
)
from torchdev_lint.project.tree import (
    INIT,
    entries,
    is_root,
    module_in,
    package_root,
)
from torchdev_lint.source.source import SourceError, read_bytes

_MOST_LEVELS = 5
"""So many folders up is looked where nothing is marked."""
_MOST_FILES = 200
"""Of a folder with more files than that, nothing is read: it collects what has nothing in common,
or tells enough in its folders."""
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t(]+([\w., \t]*)|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)
"""Files are searched for imports, not parsed: what only looks like one leads nowhere."""

Name = tuple[str, ...]
"""A dotted name, by its components."""


def folders_up(folder: str) -> list[str]:
    """Return a folder and those above it up to where the project begins."""
    line = [folder]
    while not is_root(line[-1]):
        above = os.path.dirname(line[-1])
        if above == line[-1]:
            return _line_to(beginning_of(package_root(folder)), folder)
        line.append(above)
    return line


def _line_to(top: str, folder: str) -> list[str]:
    """A folder and those above it up to one of them, or up to the folder that its package is."""
    line = [folder]
    while line[-1] != top:
        line.append(os.path.dirname(line[-1]))
    return line


@in_one_moment
def beginning_of(folder: str) -> str:
    """Return where the project begins that a folder belongs to, if nothing above it is marked.

    Args:
        folder: a folder that is in no package.

    Returns:
        The outermost folder above it that has to do with it, or itself.
    """
    line = [folder]
    top, below = folder, _names_in(_packages_and(folder))
    for above in _above(folder):
        its = _names_in([above])
        if _holds_any_of(above, below, line) or _uses_folders(above, its, line[-1]):
            top = above
        line.append(above)
        below |= its
    found_beginning(folder, top, states_along(folder))
    return top


def states_along(folder: str) -> Project:
    """Return a number of the states of all files that tell where a project begins.

    Args:
        folder: a folder of it that is in no package.
    """
    number, settled = blake2b(digest_size=16), True
    folders = (*_packages_and(folder), *_above(folder))
    for path in (path for each in folders for path in _python_files(each)):
        state = state_of(path)
        settled = settled and is_settled(state)
        number.update(repr((path, state)).encode("utf-8", "surrogatepass"))
    return Project(number.hexdigest(), settled)


def _above(folder: str) -> Iterator[str]:
    """Yield the folders above one, from the inside out; no project is a whole file system."""
    for _ in range(_MOST_LEVELS):
        folder = os.path.dirname(folder)
        if folder == os.path.dirname(folder):
            return
        yield folder


def _packages_and(folder: str) -> list[str]:
    """A folder, and the packages in it."""
    inside = (os.path.join(folder, name) for name in sorted(entries(folder)[1]))
    return [folder, *(path for path in inside if INIT in entries(path)[0])]


def _holds_any_of(folder: str, names: Collection[Name], below: Iterable[str]) -> bool:
    """Whether a folder holds a module of one of the names that no folder below it has."""
    files, folders = entries(folder)
    nearer = frozenset().union(*(part for each in below for part in entries(each)))
    return any(
        (name[0] in folders or f"{name[0]}.py" in files)
        and nearer.isdisjoint((name[0], f"{name[0]}.py"))
        and _is_module_of(folder, name)
        for name in names
    )


def _uses_folders(folder: str, names: Collection[Name], below: str) -> bool:
    """Whether the files of a folder import what lies in its folders: programs begin there.

    Then all that lies below it belongs to them.

    Args:
        folder: theirs.
        names: what they import.
        below: the other one.
    """
    if not os.path.basename(below).isidentifier():
        return False  # that is a project for itself: nobody can import it
    folders = entries(folder)[1]
    return any(name[0] in folders and _is_module_of(folder, name) for name in names)


def _is_module_of(folder: str, name: Name) -> bool:
    """Whether a name is that of a module below a folder: of a file, or a folder with files."""
    found = module_in(folder, list(name))
    return found is not None and (
        found.endswith(".py") or any(file.endswith(".py") for file in entries(found)[0])
    )


def _python_files(folder: str) -> list[str]:
    """The paths of the Python files in a folder, in order; what they hold is noted by states."""
    files = listing_of(folder).files
    return [os.path.join(folder, name) for name in sorted(files) if name.endswith(".py")]


def _names_in(folders: Iterable[str]) -> set[Name]:
    """What the files of some folders import."""
    names = set[Name]()
    for folder in folders:
        files = _python_files(folder)
        for file in files if len(files) <= _MOST_FILES else ():
            names |= _names_of(file, state_of(file))
    return names


@lru_cache(maxsize=4_096)
def _names_of(path: str, state: State) -> frozenset[Name]:
    """What a file in a state imports, but for relative imports and known libraries."""
    del state
    try:
        data = read_bytes(path)
    except SourceError:
        return frozenset()
    names = set[Name]()
    for module, members, modules in _IMPORT.findall(data):
        base = _parts(module) if module else ()
        names.update((*base, *_parts(each)) for each in (members or modules).split(b","))
        names.add(base)
    return frozenset(
        name
        for name in names
        if name and name[0] not in STAYS_A_LIBRARY and may_be_of_project(name[0])
    )


def _parts(name: bytes) -> Name:
    """The components of a name, without what it is to be called; none of a relative one."""
    words = name.decode("utf-8", "replace").split()
    parts = tuple(words[0].split(".")) if words else ()
    return parts if all(parts) else ()
