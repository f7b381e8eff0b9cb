"""A release: a package or repository in a folder, of which name and version are known."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from itertools import pairwise
from pathlib import Path

_GIVEN = re.compile(r"(?P<name>[^=]+)==(?P<version>[^=]+)=(?P<path>.+)", re.DOTALL)
_COMMIT_DIGITS = 10


class NoRelease(Exception):
    """A place on the command line of which name, version or folder can't be told."""


@dataclass(frozen=True, slots=True, order=True)
class Release:
    """One version of a package or repository.

    Args:
        name: a package's name as the index normalises it, or a repository's.
        version: the released version, or the first digits of the commit.
        path: the folder.
    """

    name: str
    version: str
    path: Path


def releases_at(places: list[str]) -> list[Release]:
    """Find the releases that the command line names, each once, by name.

    Args:
        places: `NAME==VERSION=PATH`, a release's folder, or a folder of such folders.

    Raises:
        NoRelease: there is none at one of the places, or the same one at two.
    """
    found = sorted(release for place in places for release in _at(place))
    for one, other in pairwise(found):
        if (one.name, one.version) == (other.name, other.version):
            raise NoRelease(f"{one.name} {one.version} is at {one.path} and at {other.path}")
    return found


def _at(place: str) -> Iterator[Release]:
    given = _GIVEN.fullmatch(place)
    folder = Path(given["path"] if given else place)
    if not folder.is_dir():
        raise NoRelease(f"{folder} is no folder")
    if given:
        yield Release(given["name"], given["version"], folder)
        return
    release = _released(folder) or _committed(folder)
    if release is not None:
        yield release
        return
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    releases = [release for path in inner if (release := _released(path) or _committed(path))]
    if not releases:
        raise NoRelease(f"{folder} holds no unpacked wheel or sdist and no git work tree")
    yield from releases


def _released(folder: Path) -> Release | None:
    """Read what a wheel's `*.dist-info` or an sdist's `PKG-INFO` says."""
    about = [*folder.glob("*.dist-info/METADATA"), *folder.glob("PKG-INFO")]
    if len(about) != 1:
        return None
    headers = HeaderParser().parsestr(about[0].read_text("utf-8"))
    name = re.sub(r"[-_.]+", "-", headers["Name"]).lower()
    return Release(name, headers["Version"], folder)


def _committed(folder: Path) -> Release | None:
    """Read the commit of a git work tree, which must be as it was committed."""
    if not (folder / ".git").exists():
        return None
    if _git(folder, "status", "--porcelain", "--untracked-files=no"):
        raise NoRelease(f"{folder} has changes that are in no commit")
    commit = _git(folder, "rev-parse", "HEAD")
    return Release(folder.resolve().name, commit[:_COMMIT_DIGITS], folder)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise NoRelease(f"{folder}: {done.stderr.strip()}")
    return done.stdout.strip()
