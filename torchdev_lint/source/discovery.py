"""From the paths on the command line to the files to lint."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchdev_lint.source.problem import Problem

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

STDIN = "-"

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

_ENVIRONMENT_MARK = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Target:
    """A file to lint.

    Args:
        path: the path as it is shown to the user; `-` is standard input.
        named: whether the user named this very file, and not a folder above it.
    """

    path: str
    named: bool


def discover(paths: Sequence[str]) -> tuple[list[Target], list[Problem]]:
    """Find the Python files that the paths lead to, each once, in a stable order.

    A file named is always taken. In folders, `*.py` files are taken, unless `.gitignore` or
    `EXCLUDED_FOLDERS` leave them out. Links to folders are not followed.

    Args:
        paths: files and folders, or `-` for standard input.

    Returns:
        The files, and what went wrong on the way to them.
    """
    targets: dict[str, Target] = {}
    problems: list[Problem] = []
    for path in paths:
        if path != STDIN and os.path.isdir(path):
            for file in _walk(path, problems):
                targets.setdefault(os.path.abspath(file), Target(file, named=False))
        elif path == STDIN or os.path.exists(path):
            targets[os.path.abspath(path) if path != STDIN else STDIN] = Target(path, named=True)
        else:
            broken = os.path.lexists(path)
            problems.append(
                Problem(path, "broken symbolic link" if broken else "no such file or folder")
            )
    return list(targets.values()), problems


@dataclass(frozen=True, slots=True)
class _GitIgnore:
    """One `.gitignore` file."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Tell whether it ignores (or, by `!`, re-includes) a path; None: it says nothing."""
        relative = path[len(self.folder) :].lstrip(os.sep).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" * is_folder).include


_GitIgnores = tuple[_GitIgnore, ...]


def _walk(root: str, problems: list[Problem]) -> Iterator[str]:
    top = os.path.abspath(root)
    shown_root = "" if os.path.normpath(root) == os.curdir else root
    stack: list[tuple[str, bool, _GitIgnores]] = [(top, True, _ignores_above(top))]
    while stack:
        path, is_folder, ignores = stack.pop()
        shown = os.path.join(shown_root, path[len(top) :].lstrip(os.sep)) or root
        if not is_folder:
            yield shown
            continue
        try:
            with os.scandir(path) as listing:
                entries = sorted(listing, key=lambda entry: entry.name, reverse=True)
        except OSError as error:
            problems.append(Problem(shown, f"cannot be read: {error.strerror or error}"))
            continue
        names = {entry.name for entry in entries}
        if _ENVIRONMENT_MARK in names and path != top:
            continue
        if ".gitignore" in names:
            ignores = (*ignores, *_read_gitignore(path))
        for entry in entries:
            folder = entry.is_dir(follow_symlinks=False)
            wanted = entry.name not in EXCLUDED_FOLDERS if folder else _is_python_file(entry)
            if wanted and not _ignored(entry.path, folder, ignores):
                stack.append((entry.path, folder, ignores))


def _is_python_file(entry: os.DirEntry[str]) -> bool:
    # Emacs leaves broken links named `.#file.py` beside every file that is being edited.
    if not entry.name.endswith(".py") or entry.name.startswith(".#"):
        return False
    try:
        return entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path))
    except OSError:  # a link to itself: reading it will say so
        return True


def _ignored(path: str, is_folder: bool, ignores: _GitIgnores) -> bool:
    for ignore in reversed(ignores):
        verdict = ignore.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def _ignores_above(top: str) -> _GitIgnores:
    """Collect what the `.gitignore` files between the repository's root and `top` say."""
    chain = [top]
    while not os.path.lexists(os.path.join(chain[-1], ".git")):
        parent = os.path.dirname(chain[-1])
        if parent == chain[-1]:
            return ()
        chain.append(parent)
    ignores: _GitIgnores = ()
    for folder, below in zip(reversed(chain), reversed(chain[:-1]), strict=False):
        ignores += _read_gitignore(folder)
        if _ignored(below, True, ignores):
            return ()  # it is ignored, but the user named it all the same
    return ignores


def _read_gitignore(folder: str) -> _GitIgnores:
    # Imported late: a run on named files has no need of it.
    from pathspec import GitIgnoreSpec

    try:
        with open(
            os.path.join(folder, ".gitignore"), encoding="utf-8-sig", errors="surrogateescape"
        ) as file:
            lines = file.read().splitlines()
    except OSError:
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about patterns that look odd as regular expressions
        spec = GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])
    return (_GitIgnore(folder, spec),)


def _is_pattern(line: str) -> bool:
    """Tell whether sense can be made of a line; git skips those where it can't."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
