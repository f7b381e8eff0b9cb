"""A line that says how far a long run is, on a terminal."""

from __future__ import annotations

import time
from typing import TextIO

_FIRST_AFTER = 1.0
_EVERY = 0.2
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows a counter after a second, and removes it before anything else is written.

    Args:
        stream: where to write; nothing is written unless it is a terminal.
        total: how many files there are.
    """

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._enabled = stream.isatty()
        self._next = time.monotonic() + _FIRST_AFTER
        self._shown = False

    def update(self, done: int) -> None:
        """Say that so many files are done; that all are needs no line that goes at once."""
        if self._enabled and done < self._total and time.monotonic() >= self._next:
            self._stream.write(f"{_CLEAR}{done}/{self._total} files")
            self._stream.flush()
            self._shown = True
            self._next = time.monotonic() + _EVERY

    def clear(self) -> None:
        """Remove the counter."""
        if self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._shown = False
