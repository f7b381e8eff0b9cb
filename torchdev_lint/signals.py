"""The signals that ask a process to end, held back while something must not be left half done.

On Windows nothing can be held back; there all of this does nothing.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

_ENDING = frozenset({signal.SIGINT, signal.SIGTERM})
_CAN_BLOCK = hasattr(signal, "pthread_sigmask")


def block() -> None:
    """Let Ctrl-C and a request to end wait, as far as this thread is concerned."""
    if _CAN_BLOCK:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)


def unblock() -> None:
    """Let them in, also if whoever started this process had blocked them."""
    if _CAN_BLOCK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


@contextlib.contextmanager
def blocked() -> Iterator[None]:
    """Let them wait for the end of a block; what was blocked before stays so."""
    if not _CAN_BLOCK:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
