"""Which files say what holds in a folder: the nearest one upwards, and those that it extends."""

from __future__ import annotations

import os

from torchdev_lint.config.levels import Levels
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.config.reading import Level, read_level
from torchdev_lint.source.shown import from_here

OWN_NAME = "torchdev-lint.toml"
PROJECT_NAME = "pyproject.toml"
SECTION = ("tool", "torchdev-lint")


def levels_in(folder: str) -> Levels:
    """Return what a file in a folder sets; nothing if there is none that sets anything.

    Args:
        folder: the folder, absolute.

    Raises:
        SettingsProblem: something is wrong with one of them.
    """
    for name in (OWN_NAME, PROJECT_NAME):
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            levels = levels_of(path)
            if levels:
                return levels
    return ()


def levels_of(path: str, folder: str | None = None) -> Levels:
    """Return what a file sets, and above that what it extends.

    Args:
        path: the file, absolute.
        folder: the folder that its paths are meant from; None: its own.

    Returns:
        Nothing if it is a `pyproject.toml` without anything of ours.

    Raises:
        SettingsProblem: something is wrong with one of the files.
    """
    levels: list[Level] = []
    paths: list[str] = []
    level = _level_at(path, folder)
    while level is not None:
        levels.append(level)
        paths.append(os.path.realpath(path))
        base = level.options.extend
        if base is None:
            break
        path = os.path.abspath(os.path.join(os.path.dirname(path), os.path.expanduser(base)))
        if os.path.realpath(path) in paths:
            raise level.wrong("extend", f"{from_here(path)} is extended in a circle")
        try:
            level = _level_at(path, None)
        except SettingsProblem as problem:
            if problem.path == from_here(path) and not os.path.exists(path):
                raise levels[-1].wrong("extend", f"{base}: {problem.message}") from None
            raise
        if level is None:
            raise levels[-1].wrong("extend", f"{base} has no `[{'.'.join(SECTION)}]`")
    return tuple(reversed(levels))


def _level_at(path: str, folder: str | None) -> Level | None:
    section = SECTION if os.path.basename(path) == PROJECT_NAME else ()
    return read_level(path, section, folder or os.path.dirname(path), from_here(path))
