"""Where results are kept: a folder in the root of the project, that says itself what it is."""

from __future__ import annotations

import contextlib
import os
import re
from functools import lru_cache

NAME = ".torchdev_lint_cache"
FOLDER_VARIABLE = "TORCHDEV_LINT_CACHE_DIR"
OFF_VARIABLE = "TORCHDEV_LINT_NO_CACHE"

_ROOT_MARKS = ("pyproject.toml", ".git")
_TAG = "CACHEDIR.TAG"
_MARKS = {
    ".gitignore": "# Made by torchdev-lint.\n*\n",
    _TAG: "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of torchdev-lint's.\n",
}
"""Files that have others leave the folder alone: git, and what makes backups."""
_OWN = re.compile(r"v[0-9a-f]{32}")
"""What the folders in it are called: each has the results of one version."""


def is_off() -> bool:
    """Whether the user's environment says that nothing is to be kept."""
    return os.environ.get(OFF_VARIABLE, "").lower() not in {"", "0", "false"}


def given_folder() -> str | None:
    """Return the folder that the user's environment names, None if it names none."""
    return os.environ.get(FOLDER_VARIABLE) or None


def folder_for(path: str, given: str | None) -> str:
    """Return where results about a file are kept.

    Args:
        path: the file, absolute.
        given: the folder that the user wants them to be kept in.

    Raises:
        OSError: there is no current folder.
    """
    if given:
        return os.path.abspath(given)
    return os.path.join(_root_of(os.path.dirname(path)) or os.getcwd(), NAME)


def can_be_kept_in(folder: str) -> bool:
    """Whether a folder for results can be written, or made where there is none yet."""
    path = os.path.abspath(folder)
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)


@lru_cache(maxsize=4_096)
def _root_of(folder: str) -> str:
    """Return the root of the project that a folder belongs to, empty if there is none."""
    if any(os.path.exists(os.path.join(folder, mark)) for mark in _ROOT_MARKS):
        return folder
    above = os.path.dirname(folder)
    return _root_of(above) if above != folder else ""


def prepare(folder: str, version: str) -> str | None:
    """Make a folder for results, if that is possible, and return the one of a version in it.

    A folder that was there already, with files of somebody else's, is not marked: git would ignore
    these as well. Links in it were made by somebody else, and may lead anywhere: nothing is written
    or removed through them.
    """
    inner = os.path.join(folder, f"v{version}")
    with contextlib.suppress(OSError):
        if not os.path.isdir(inner):
            os.makedirs(inner)
        if not os.path.lexists(os.path.join(folder, _TAG)):
            if all(name in _MARKS or _OWN.fullmatch(name) for name in os.listdir(folder)):
                for name, text in _MARKS.items():  # the tag is the last: with it, all are there
                    _mark(os.path.join(folder, name), text)
    return inner if _is_own_folder(inner) else None


def _mark(path: str, text: str) -> None:
    """Write a file, unless there is something of its name."""
    with contextlib.suppress(FileExistsError), open(path, "x", encoding="utf-8") as file:
        file.write(text)


def _is_own_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def versions_in(folder: str) -> list[str]:
    """Return the folders in a cache that hold the results of one version each."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    paths = [os.path.join(folder, name) for name in names if _OWN.fullmatch(name)]
    return [path for path in paths if _is_own_folder(path)]


def clear(folder: str) -> None:
    """Remove what was kept in a folder, and the folder itself if nothing else is in it.

    Raises:
        OSError: something can't be removed.
    """
    for inner in versions_in(folder):
        for name in os.listdir(inner):
            os.unlink(os.path.join(inner, name))
        os.rmdir(inner)
    if os.path.isdir(folder) and set(os.listdir(folder)) <= _MARKS.keys():
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        if not os.path.islink(folder):
            os.rmdir(folder)
