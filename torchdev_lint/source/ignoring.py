"""Which files say what is ignored: those of folders, of the repository, and of the user."""

from __future__ import annotations

import os
from collections.abc import Iterable

from torchdev_lint.records import dataclass, replace
from torchdev_lint.source.gitignore import GitIgnore
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import SourceError, read_bytes

GITIGNORE, IGNORE = ".gitignore", ".ignore"
"""What git reads in folders, and what ripgrep, fd, Ruff and others read there besides."""
FOR_GIT = ".git"
"""What the root of a repository holds: a folder, or a file that says where it is."""
_MOST_BYTES = 1_000_000
"""How many bytes such a file may have."""


@dataclass(frozen=True, slots=True)
class Ignores:
    """What is ignored in a folder.

    Args:
        git: what git reads for it, what counts for least first.
        besides: the `.ignore` files, which count for more than all of those.
    """

    git: tuple[GitIgnore, ...] = ()
    besides: tuple[GitIgnore, ...] = ()

    def cover(self, path: str, is_folder: bool) -> bool:
        """Whether a path, absolute, is ignored; the folders above it are not looked at."""
        for ignores in (self.besides, self.git):
            for ignore in reversed(ignores):
                verdict = ignore.verdict(path, is_folder)
                if verdict is not None:
                    return verdict
        return False

    def inside(
        self, folder: str, names: Iterable[str], shown: str, problems: list[Problem]
    ) -> Ignores:
        """Return what is ignored in a folder below.

        Args:
            folder: the folder, absolute.
            names: what is in it.
            shown: its path as it is shown to the user.
            problems: takes what goes wrong.
        """

        def read(name: str) -> tuple[GitIgnore, ...]:
            path = os.path.join(folder, name)
            if name not in names or os.path.islink(path):  # git follows no link to one
                return ()
            return _read(path, folder, os.path.join(shown, name), problems)

        return replace(self, git=self.git + read(GITIGNORE), besides=self.besides + read(IGNORE))


def ignores_above(top: str, problems: list[Problem]) -> Ignores:
    """Return what is ignored in a folder by what is above it, up to the repository's root.

    Args:
        top: the folder, absolute, which the user named: it is not ignored itself.
        problems: takes what goes wrong.
    """
    chain = [top]
    while not os.path.lexists(os.path.join(chain[-1], FOR_GIT)):
        parent = os.path.dirname(chain[-1])
        if parent == chain[-1]:
            return Ignores()
        chain.append(parent)
    root = chain[-1]
    files = [path for path in (_global_file(root), _file_of_repository(root)) if path]
    ignores = Ignores(tuple(each for path in files for each in _read(path, root, path, problems)))
    for folder, below in zip(reversed(chain), reversed(chain[:-1]), strict=False):
        there = [n for n in (GITIGNORE, IGNORE) if os.path.lexists(os.path.join(folder, n))]
        ignores = ignores.inside(folder, there, folder, problems)
        if ignores.cover(below, is_folder=True):
            return Ignores()
    return ignores


def _read(path: str, folder: str, shown: str, problems: list[Problem]) -> tuple[GitIgnore, ...]:
    if os.path.isdir(path):
        return ()  # which git takes for no patterns
    try:
        return (GitIgnore(folder, read_bytes(path, _MOST_BYTES)),)
    except SourceError as error:
        problems.append(Problem(os.path.normpath(shown), error.message))
        return ()


def _file_of_repository(root: str) -> str | None:
    """Return the file in which a clone keeps its own patterns."""
    said = _said_by_git(root, "rev-parse", "--git-path", "info/exclude")
    path = os.path.join(root, said or os.path.join(FOR_GIT, "info", "exclude"))
    return path if os.path.isfile(path) else None


def _global_file(root: str) -> str | None:
    """Return the file in which a user keeps patterns for all repositories."""
    path = _said_by_git(root, "config", "--type=path", "--get", "core.excludesFile")
    if not path:
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
        path = os.path.join(home, "git", "ignore")
    path = os.path.join(root, path)
    return path if os.path.isfile(path) else None


def _said_by_git(root: str, *arguments: str) -> str:
    """Return the path that git answers with; nothing if it can't be asked, or has none."""
    import subprocess  # late: files that are named are linted whatever git says

    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=False)
    except OSError:
        return ""
    return os.fsdecode(done.stdout.removesuffix(b"\n")) if done.returncode == 0 else ""
