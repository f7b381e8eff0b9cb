"""Python's collector of garbage, kept out of work that makes next to none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
