"""Standard streams that may be closed, full, or in an encoding that lacks characters."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_CLOSED = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))
"""What a closed stream is replaced by: the null device, of stdin and stdout the wrong end."""

_PATIENCE = 1.0
"""How many seconds a reader has to take the end of what was interrupted."""


class ReaderLeftError(BrokenPipeError):
    """Who reads the output of a run has got enough of it, as `head` has, and the run ends there.

    Args:
        code: the exit code that says what had come out until then.
    """

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


def prepare() -> None:
    """Make the standard streams fit to be used, whatever the process was started with.

    In the place of a closed one comes one that can't be read or written, which is noticed only
    if that is tried. What can't be written to stderr is lost: there is nobody left to tell.
    """
    # In this order each takes its own number again, before a file that is linted does.
    for name, flags, mode in _CLOSED:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))
    if sys.__stderr__ is not None and sys.stderr is sys.__stderr__:
        sys.stderr = _lossy(sys.__stderr__)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # File names and source lines may hold what the terminal's encoding doesn't.
            stream.reconfigure(errors="backslashreplace")


def settle(*, wait: bool = True) -> None:
    """Write what stdout still holds; if that fails, drop it, or Python complains as it ends.

    Args:
        wait: whether to wait for a reader that is in no hurry.
    """
    with contextlib.suppress(OSError):  # it is no file at all
        number = sys.stdout.fileno()
        try:
            with contextlib.nullcontext() if wait else _unblocked(number):
                sys.stdout.flush()
        except OSError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


@contextlib.contextmanager
def in_time(stream: TextIO) -> Iterator[None]:
    """Have what a block writes fail, rather than wait for long, where nobody reads it."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError

    try:
        before = signal.signal(signal.SIGALRM, give_up)
    except (AttributeError, ValueError):  # on Windows, or in a thread: there is no alarm
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    try:
        yield
        stream.flush()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _unblocked(number: int) -> Iterator[None]:
    """Have writing fail where it would have to wait."""
    if not hasattr(os, "set_blocking"):  # on Windows, before Python 3.12
        yield
        return
    same = os.dup(number)  # the setting is one for all who share the file, and so given back to it
    try:
        os.set_blocking(same, False)
        yield
    finally:
        os.set_blocking(same, True)
        os.close(same)


class _Lossy(io.FileIO):
    """A file for which it doesn't matter whether it can be written."""

    def write(self, data: ReadableBuffer) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _lossy(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = _Lossy(stream.fileno(), "w", closefd=False)
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, encoding=stream.encoding, line_buffering=True)
