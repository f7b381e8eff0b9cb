"""What lies in a folder."""

from __future__ import annotations

import os
from functools import lru_cache

from torchdev_lint.project.seen import Listing, State, is_settled, state_of
from torchdev_lint.records import replace
from torchdev_lint.source.buffers import buffers_in


def listing_of(folder: str) -> Listing:
    """Return what lies in a folder, and what is to lie there; nothing in what is none."""
    listing = _listed(folder, state_of(folder))
    new = buffers_in(folder) - listing.files
    return replace(listing, files=listing.files | new, settled=False) if new else listing


@lru_cache(maxsize=4_096)
def _listed(folder: str, state: State) -> Listing:
    """What lies in a folder that is in a state."""
    files, folders = set[str](), set[str]()
    settled = is_settled(state)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if _is_folder(entry) else files).add(entry.name)
                # Where a link leads may change without the folder.
                settled = settled and not entry.is_symlink()
    except (OSError, ValueError):
        return Listing(state, frozenset(), frozenset(), settled)
    return Listing(state, frozenset(files), frozenset(folders), settled)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder; links that go round in a circle are none."""
    try:
        return entry.is_dir()
    except OSError:
        return False
