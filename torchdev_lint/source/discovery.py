"""From the paths on the command line to the files to lint."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from torchdev_lint.records import dataclass
from torchdev_lint.source.ignoring import Ignores, ignores_above
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import NOTEBOOK, unreadable

STDIN = "-"
SUFFIXES = (".py", NOTEBOOK)
"""What the names of the files end in that are taken in folders."""

EXCLUDED_FOLDERS = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".torchdev_lint_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Names of folders that hold no code of the project's own, besides virtual environments."""

ENVIRONMENT_MARK = "pyvenv.cfg"
"""A file that lies in the folder of a virtual environment."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to lint.

    Args:
        path: the path as it is shown to the user; `-` is standard input.
        named: whether the user named this very file, and not a folder above it.
        outside: whether it is a link that leads out of the folder it was found in.
        real: where it really was when it was found, by a path without links; empty: not known.
    """

    path: str
    named: bool
    outside: bool = False
    real: str = ""


def is_excluded(path: str, is_folder: bool) -> bool:
    """Whether a file or folder is left out, where nobody has said which are to be."""
    return is_folder and os.path.basename(path) in EXCLUDED_FOLDERS


def discover(
    paths: Sequence[str],
    leaves_out: Callable[[str, bool], bool] = is_excluded,
    respect_gitignore: bool = True,
) -> tuple[list[Target], list[Problem]]:
    """Find the Python files that the paths lead to, each once, in a stable order.

    A file named is always taken. In folders, `*.py` files and notebooks are taken, unless they are
    left out, they or a folder above them. Links to folders are not followed. Of a file and links to
    it the file is taken, unless the user named a link.

    Args:
        paths: files and folders, or `-` for standard input.
        leaves_out: whether a path, absolute, is left out; and whether it is that of a folder.
        respect_gitignore: whether what git ignores, and `.ignore` files, is left out.

    Returns:
        The files, and what went wrong on the way to them.
    """
    way = _Way(leaves_out, respect_gitignore, [])
    targets: dict[str, Target] = {}
    links: set[str] = set()
    for path in paths:
        if path != STDIN and os.path.isdir(path):
            for found in _walk(path, way):
                if found.real in links and not found.link:
                    links.remove(found.real)
                    del targets[found.real]
                if found.real not in targets:
                    links.update([found.real] if found.link else ())
                    targets[found.real] = Target(found.shown, False, found.outside, found.real)
        elif path == STDIN or os.path.exists(path):
            real = os.path.realpath(path) if path != STDIN else STDIN
            links.discard(real)
            targets[real] = Target(path, named=True, real=real if path != STDIN else "")
        else:
            broken = os.path.lexists(path)
            way.problems.append(
                Problem(path, "broken symbolic link" if broken else "no such file or folder")
            )
    return list(targets.values()), list(dict.fromkeys(way.problems))


@dataclass(frozen=True, slots=True)
class _Way:
    """How folders are gone through.

    Args:
        leaves_out: whether a path, absolute, is left out; and whether it is that of a folder.
        respect_gitignore: whether what git ignores, and `.ignore` files, is left out.
        problems: what goes wrong.
    """

    leaves_out: Callable[[str, bool], bool]
    respect_gitignore: bool
    problems: list[Problem]


@dataclass(frozen=True, slots=True)
class _Found:
    """A file in a folder.

    Args:
        shown: its path as it is shown to the user.
        real: where it is really.
        link: whether it is a link to that.
        outside: whether that is not in the folder.
    """

    shown: str
    real: str
    link: bool
    outside: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A file or folder that is to be looked at.

    Args:
        path: where it is, from the root of the file system.
        is_folder: whether it is a folder.
        is_link: whether it is a link.
        ignores: what is ignored by what is above it.
    """

    path: str
    is_folder: bool
    is_link: bool
    ignores: Ignores


def _walk(root: str, way: _Way) -> Iterator[_Found]:
    top = os.path.abspath(root)
    real_top = os.path.realpath(root)
    shown_root = "" if os.path.normpath(root) == os.curdir else root
    if os.altsep:  # on Windows, `src/` leads to what is shown as `src\\a.py`
        shown_root = shown_root.replace(os.altsep, os.sep)
    above = ignores_above(top, way.problems) if way.respect_gitignore else Ignores()
    stack = [_Place(top, True, False, above)]
    while stack:
        place = stack.pop()
        below = place.path[len(top) :].lstrip(os.sep)
        shown = os.path.join(shown_root, below) or root
        if place.is_folder:
            stack += _entries(place, shown, place.path == top, way)
            continue
        real = os.path.realpath(place.path) if place.is_link else os.path.join(real_top, below)
        outside = place.is_link and not real.startswith(os.path.join(real_top, ""))
        yield _Found(shown, real, place.is_link, outside)


def _entries(folder: _Place, shown: str, named: bool, way: _Way) -> Iterator[_Place]:
    """Yield what is to be looked at in a folder, in reverse order.

    Args:
        folder: the folder.
        shown: its path as it is shown to the user.
        named: whether the user named it.
        way: how folders are gone through.
    """
    try:
        with os.scandir(folder.path) as listing:
            entries = sorted(listing, key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        way.problems.append(Problem(shown, unreadable(error)))
        return
    names = {entry.name for entry in entries}
    if ENVIRONMENT_MARK in names and not named:
        return
    ignores = folder.ignores
    if way.respect_gitignore:
        ignores = ignores.inside(folder.path, names, shown, way.problems)
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if (
            (is_folder or _is_python_file(entry))
            and not way.leaves_out(entry.path, is_folder)
            and not ignores.cover(entry.path, is_folder)
        ):
            yield _Place(entry.path, is_folder, entry.is_symlink(), ignores)


def _is_python_file(entry: os.DirEntry[str]) -> bool:
    # Emacs leaves broken links named `.#file.py` beside every file that is being edited.
    if not entry.name.endswith(SUFFIXES) or entry.name.startswith(".#"):
        return False
    try:
        return entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path))
    except OSError:  # a link to itself: reading it will say so
        return True
