"""Python's collector of garbage, kept out of work that makes next to none, and freed memory."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from typing import cast

_FILES_UNTIL_TRIM = 20
"""After how many files what was freed goes back to the system: that takes milliseconds."""
_FILES_DONE = count(1)


@contextmanager
def not_collected() -> Iterator[None]:
    """Let nothing be collected meanwhile.

    A tree and what is found out about it live until the file is done, and the collector goes
    through all of it again and again: a tenth of the time. What is left behind it finds afterwards.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def collect_rarely() -> None:
    """Have garbage looked for less often, in a process that is this program's own.

    What is kept of files, their trees above all, is gone through each time: a tenth of the time
    went there. Little that is garbage outlives the file that it comes from.
    """
    gc.set_threshold(200_000, 50, 5)


def note_file() -> None:
    """Give memory back to the system now and then, once a file is done.

    The C library keeps what was freed, for whoever wants as much again: after 130 files of
    diffusers, with hardly a tree kept, 64 of 207 MB.
    """
    if next(_FILES_DONE) % _FILES_UNTIL_TRIM == 0 and (trim := _trim()) is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    """The function of the C library that does so; others than GNU's have none."""
    if sys.platform != "linux":
        return None
    import ctypes

    found = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return cast("Callable[[int], int] | None", found)
