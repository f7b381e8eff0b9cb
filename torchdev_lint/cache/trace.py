"""What a result rests on: what was read for it, and whether that is still as it was.

A trace names the files that were read, the folders in which names were looked for, and the names.
Two numbers say how all of that was: one of the states of files and folders, which costs nothing to
compare; where it differs, one of what they hold decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from torchdev_lint.cache.disk import Disk
from torchdev_lint.project.resolution import USUAL
from torchdev_lint.project.seen import Content, Listing, Seen, State


@dataclass(frozen=True, slots=True)
class Trace:
    """What a result rests on.

    Args:
        files: the files that were read, or could not be; absolute.
        folders: the folders in which names were looked for; absolute.
        names: the names, as imports know them.
        listed: those of the folders of which every Python file counts.
        states: a number of the states of them all; empty if something had changed so shortly before
            that it may have changed again without it.
        contents: a number of what they held, as far as it counts.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    names: tuple[str, ...]
    listed: tuple[str, ...]
    states: str
    contents: str

    def is_untouched(self, disk: Disk) -> bool:
        """Whether nothing was written since."""
        return self.states == _number_of_states(map(disk.state, (*self.files, *self.folders)))

    def renewed(self, disk: Disk) -> Trace | None:
        """Return the trace as it would be now; None if something differs that counts."""
        now = _traced(
            {path: disk.content(path) for path in self.files},
            {folder: disk.listing(folder) for folder in self.folders},
            self.names,
            self.listed,
        )
        return now if now.contents == self.contents else None


def trace_of(seen: Seen) -> Trace | None:
    """Return the trace of what was seen, None if it has changed meanwhile.

    What depends on who else in the project names something has none, either.
    """
    if seen.torn or seen.users:
        return None
    files, folders = dict(sorted(seen.files.items())), dict(sorted(seen.folders.items()))
    return _traced(files, folders, tuple(sorted(seen.names)), tuple(sorted(seen.listed)))


def _traced(
    files: dict[str, Content],
    folders: dict[str, Listing],
    names: tuple[str, ...],
    listed: tuple[str, ...],
) -> Trace:
    looks: tuple[Content | Listing, ...] = (*files.values(), *folders.values())
    settled = all(look.settled for look in looks)
    states = _number_of_states(look.state for look in looks) if settled else ""
    held = [content.digest.hex() for content in files.values()]
    wanted = _entries_for(names)
    for folder, listing in folders.items():
        held += sorted(_python_files(listing) if folder in listed else ())
        held.append("/")
        held += sorted(listing.files & wanted)
        held.append("/")
        held += sorted(listing.folders & wanted)
        held.append("/")
    return Trace(tuple(files), tuple(folders), names, listed, states, _number("\0".join(held)))


def _entries_for(names: Iterable[str]) -> frozenset[str]:
    """What stands for names in a folder: folders, and files with and without an ending."""
    return USUAL.union(entry for name in names for entry in (name, f"{name}.py"))


def _python_files(listing: Listing) -> Iterable[str]:
    return (name for name in listing.files if name.endswith(".py"))


def _number_of_states(states: Iterable[State]) -> str:
    return _number(repr(list(states)))


def _number(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
