"""Keeping the cache small: what is of no use any more goes, once a day."""

from __future__ import annotations

import contextlib
import os
import time

from torchdev_lint.cache import store
from torchdev_lint.cache.paths import Paths
from torchdev_lint.cache.place import versions_in

_DAY = 86_400
_LONGEST = 30 * _DAY
"""After how many seconds goes what nobody has asked for."""
_MOST_VERSIONS = 8
"""Of how many versions of the tool, or of what it stands on, results are kept."""
_MARK = "tidied"


def tidy(folder: str, inner: str) -> None:
    """Remove what is of no use any more, unless that was done today.

    Args:
        folder: where results are kept.
        inner: the part of it that is used.
    """
    mark = os.path.join(inner, _MARK)
    now = time.time()
    if now - _changed(mark) < _DAY:
        return
    try:  # at first, so that no other process does the same
        _renew(mark)
    except OSError:
        return
    for version in sorted(versions_in(folder), key=_changed, reverse=True)[_MOST_VERSIONS:]:
        if version != inner:
            _remove_old(version, now)
    for version in versions_in(folder):
        _remove_old(version, now - _LONGEST)
    _remove_orphans(inner, Paths(folder))


def _renew(mark: str) -> None:
    """Make an empty file, in the place of what has its name: a link may lead to another one."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(mark)
    with open(mark, "xb"):
        pass


def _remove_old(version: str, limit: float) -> None:
    """Remove what was not used since a time, and the folder if nothing is left in it."""
    with contextlib.suppress(OSError):
        for name in os.listdir(version):
            path = os.path.join(version, name)
            if _changed(path) < limit:
                os.unlink(path)
        if not os.listdir(version):
            os.rmdir(version)


def _remove_orphans(inner: str, paths: Paths) -> None:
    """Remove what is kept of files that are gone, and what some process has left unfinished."""
    with contextlib.suppress(OSError):
        for name in os.listdir(inner):
            path = os.path.join(inner, name)
            if name.endswith(store.UNFINISHED) and time.time() - _changed(path) > _DAY:
                os.unlink(path)
            elif name.endswith(store.ENDING):
                value = store.read(path, used=False)
                about = value.get("path") if isinstance(value, dict) else None
                if isinstance(about, str) and not os.path.exists(paths.absolute(about)):
                    os.unlink(path)


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0
