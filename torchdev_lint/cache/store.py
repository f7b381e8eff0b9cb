"""Entries on the disk: a file each, whole or not at all.

Whatever else lies there is taken for nothing: half of an entry, one that somebody has changed, one
of a later version.
"""

from __future__ import annotations

import contextlib
import json
import os
import time

from torchdev_lint.digest import blake2b
from torchdev_lint.source.source import without_waiting

MOST_BYTES = 20_000_000
"""How large an entry may be: one that is worth keeping has a thousandth of that."""
ENDING = ".json"
UNFINISHED = ".tmp"
_DAY = 86_400
_SUM = 32
"""How many characters the sum of an entry has, which it begins with."""


def read(path: str, used: bool = True) -> object:
    """Return what an entry holds, None if there is none.

    Args:
        path: the entry.
        used: whether it is of use, which is noted once a day.
    """
    try:
        with open(path, "rb", opener=without_waiting) as file:
            status = os.fstat(file.fileno())
            data = file.read(MOST_BYTES)
        body = data[_SUM:]
        if data[:_SUM] != _sum_of(body):
            return None
        value: object = json.loads(body)
    except (OSError, ValueError, RecursionError):
        return None
    if used and abs(time.time() - status.st_mtime) > _DAY:
        with contextlib.suppress(OSError):
            os.utime(path)
    return value


def write(path: str, value: object) -> None:
    """Write an entry; without a word if that can't be done."""
    # Imported late, as it takes long: where everything is known, nothing is written.
    import tempfile

    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    folder, name = os.path.split(path)
    try:
        number, unfinished = tempfile.mkstemp(UNFINISHED, name, folder)
    except OSError:
        return
    try:
        with os.fdopen(number, "wb") as file:
            file.write(_sum_of(body) + body)
        os.replace(unfinished, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)


def _sum_of(body: bytes) -> bytes:
    return blake2b(body, digest_size=_SUM // 2).hexdigest().encode()
