"""What a result rests on: what was looked at for it, and whether that is still as it was.

Two numbers say how all of it was: one of the states of files and folders, which costs nothing to
compare; where it differs, one of what they hold decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from torchdev_lint.cache.disk import Disk
from torchdev_lint.cache.paths import Paths
from torchdev_lint.cache.shape import every, fields, mapping, text
from torchdev_lint.digest import blake2b
from torchdev_lint.project.seen import Content, Listing, Project, Seen, State
from torchdev_lint.project.tree import USUAL
from torchdev_lint.records import dataclass

Search = tuple[str, tuple[str, ...]]
"""A search for the files that name what another one defines: that file, and the names."""
Answer = tuple[str, ...] | None
"""The files that do; None if there were too many to search."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at. Paths are absolute, and everything is sorted.

    Args:
        files: the files that were read, or could not be.
        folders: the folders in which names were looked for.
        names: the names, as imports know them.
        listed: those of the folders of which every Python file counts.
        projects: the folders of projects that were searched as a whole.
        searches: what they were searched for.
        unmarked: the folders of which imports tell where their project begins.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    names: tuple[str, ...]
    listed: tuple[str, ...]
    projects: tuple[str, ...]
    searches: tuple[Search, ...]
    unmarked: tuple[str, ...]

    def as_json(self, paths: Paths) -> dict[str, object]:
        """Return what is written of it."""
        return {
            "files": paths.grouped(self.files),
            "folders": paths.relatives(self.folders),
            "names": self.names,
            "listed": paths.relatives(self.listed),
            "projects": paths.relatives(self.projects),
            "searches": [[paths.relative(path), names] for path, names in self.searches],
            "unmarked": paths.relatives(self.unmarked),
        }


def looked_from(value: object, paths: Paths) -> Looked:
    """Return what was written.

    Raises:
        WrongShape: it is something else.
    """
    kept = mapping(value)

    def search_from(value: object) -> Search:
        path, names = fields(value, 2)
        return paths.absolute(text(path)), every(names, text)

    return Looked(
        paths.ungrouped(kept.get("files")),
        paths.absolutes(kept.get("folders")),
        every(kept.get("names"), text),
        paths.absolutes(kept.get("listed")),
        paths.absolutes(kept.get("projects")),
        every(kept.get("searches"), search_from),
        paths.absolutes(kept.get("unmarked")),
    )


@dataclass(frozen=True, slots=True)
class Trace:
    """What a result rests on.

    Args:
        looked: what was looked at.
        states: a number of the states of it all; empty if something had changed so shortly before
            that it may have changed again without it.
        contents: a number of what it held, as far as that counts.
    """

    looked: Looked
    states: str
    contents: str

    def is_untouched(self, disk: Disk) -> bool:
        """Whether nothing was written since."""
        looked = self.looked
        states = map(disk.state, (*looked.files, *looked.folders))
        searched = map(disk.project, looked.projects)
        return self.states == _states(states, (*searched, *map(disk.along, looked.unmarked)))

    def renewed(self, disk: Disk) -> Trace | None:
        """Return the trace as it would be now; None if something differs that counts."""
        looked = self.looked
        now = _traced(
            looked,
            [disk.content(path) for path in looked.files],
            [disk.listing(folder) for folder in looked.folders],
            [disk.project(folder) for folder in looked.projects],
            [disk.users(path, names) for path, names in looked.searches],
            [(disk.beginning(folder), disk.along(folder)) for folder in looked.unmarked],
        )
        return now if now.contents == self.contents else None


def trace_of(seen: Seen) -> Trace | None:
    """Return the trace of what was seen, None if it has changed meanwhile."""
    if seen.torn:
        return None
    found = {(path, tuple(sorted(names))): files for (path, names), files in seen.users.items()}
    looked = Looked(
        tuple(sorted(seen.files)),
        tuple(sorted(seen.folders)),
        tuple(sorted(seen.names)),
        tuple(sorted(seen.listed)),
        tuple(sorted(seen.projects)),
        tuple(sorted(found)),
        tuple(sorted(seen.beginnings)),
    )
    return _traced(
        looked,
        [seen.files[path] for path in looked.files],
        [seen.folders[folder] for folder in looked.folders],
        [seen.projects[folder] for folder in looked.projects],
        [found[search] for search in looked.searches],
        [seen.beginnings[folder] for folder in looked.unmarked],
    )


def _traced(
    looked: Looked,
    contents: list[Content],
    listings: list[Listing],
    projects: list[Project],
    answers: list[Answer],
    beginnings: list[tuple[str, Project]],
) -> Trace:
    """Return the trace of what was looked at, and found there."""
    looks: tuple[Content | Listing, ...] = (*contents, *listings)
    searched = *projects, *(states for _, states in beginnings)
    settled = all(look.settled for look in (*looks, *searched))
    states = _states((look.state for look in looks), searched) if settled else ""
    wanted = _entries_for(looked.names)
    held = [
        [content.digest.hex() for content in contents],
        *(
            _counting(listing, wanted, whole=folder in looked.listed)
            for folder, listing in zip(looked.folders, listings, strict=True)
        ),
        [
            _as_seen_from(path, answer)
            for (path, _), answer in zip(looked.searches, answers, strict=True)
        ],
        [
            os.path.relpath(beginning, folder)
            for folder, (beginning, _) in zip(looked.unmarked, beginnings, strict=True)
        ],
    ]
    return Trace(looked, states, _number(held))


def _counting(listing: Listing, wanted: frozenset[str], whole: bool) -> list[list[str]]:
    """What counts of what lies in a folder: what was looked for, or all Python files."""
    files = listing.files & wanted
    if whole:
        files = files.union(name for name in listing.files if name.endswith(".py"))
    return [sorted(files), sorted(listing.folders & wanted)]


def _as_seen_from(path: str, answer: Answer) -> list[str] | None:
    """The files that were found for a file, wherever the project lies."""
    folder = os.path.dirname(path)
    return None if answer is None else [os.path.relpath(file, folder) for file in answer]


def _entries_for(names: Iterable[str]) -> frozenset[str]:
    """What stands for names in a folder: folders, and files with and without an ending."""
    return USUAL.union(entry for name in names for entry in (name, f"{name}.py"))


def _states(states: Iterable[State], projects: Iterable[Project]) -> str:
    return _number([list(states), [project.number for project in projects]])


def _number(value: object) -> str:
    """Return a number of lists, tuples, texts and numbers."""
    data = repr(value).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).hexdigest()
