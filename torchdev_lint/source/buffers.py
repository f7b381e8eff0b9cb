"""Texts that stand in for files: what an editor holds, and hasn't written yet.

Whoever reads a file of a project gets the text that is held for it, if there is one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Buffer:
    """A text that stands in for a file.

    Args:
        data: its bytes.
        number: a number of them, by which one text is told from another.
    """

    data: bytes
    number: int


_held: dict[str, Buffer] = {}


def hold(texts: Mapping[str, bytes]) -> None:
    """Have texts stand in for files, and no others any more.

    Args:
        texts: by the path of the file, absolute; there need be no such file.
    """
    # Imported late: only an editor's server holds anything.
    import hashlib

    _held.clear()
    for path, data in texts.items():
        number = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
        _held[os.path.normcase(path)] = Buffer(data, number)


def buffers_in(folder: str) -> frozenset[str]:
    """Return the names of the files in a folder, absolute, that texts stand in for."""
    if not _held:
        return frozenset()
    folder = os.path.normcase(folder)
    parts = map(os.path.split, _held)
    return frozenset(name for above, name in parts if above == folder)


def buffer_of(path: str) -> Buffer | None:
    """Return what stands in for a file, None if nothing does."""
    if not _held or "\0" in path:
        return None
    return _held.get(os.path.normcase(os.path.abspath(path)))
