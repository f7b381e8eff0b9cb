"""A bar that says how far a long run is, on a terminal."""

from __future__ import annotations

import time
from typing import TextIO

_FIRST_AFTER = 1.0
_EVERY = 0.2
_CLEAR = "\r\x1b[K"
_WIDTH = 24


class Progress:
    """Shows a bar after a second; it makes way for what is written, and comes back below it.

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
        """Say that so many files are done; that all are needs no bar that goes at once."""
        if self._enabled and done < self._total and time.monotonic() >= self._next:
            full = _WIDTH * done // self._total
            bar = "#" * full + "." * (_WIDTH - full)
            self._stream.write(f"{_CLEAR}[{bar}] {done}/{self._total} files")
            self._stream.flush()
            self._shown = True
            self._next = time.monotonic() + _EVERY

    def clear(self) -> None:
        """Make way for what is written; the next update shows the bar again at once."""
        if self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._shown = False
            self._next = time.monotonic()
