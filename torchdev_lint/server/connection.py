"""The server's way to the editor: standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from threading import Event, Thread

from pygls.io_ import StdoutWriter, run_async

from torchdev_lint.server.bench import Bench
from torchdev_lint.server.language_server import LOG, Server

_LONGEST_HEADER = 1_024
_MOST_BYTES = 100_000_000
"""How many bytes a message may have."""
_CHUNK = 65_536
_EVERY = 10.0
"""After how many seconds it is looked again whether the editor is still there."""


def serve() -> bool:
    """Serve an editor until it is gone; return whether it has said before that it is done."""
    _log_lines()
    bench = Bench()
    try:
        server = Server(bench)
        return asyncio.run(_serve(server, bench))
    except BrokenPipeError:  # nobody is there any more
        return False


async def _serve(server: Server, bench: Bench) -> bool:
    # A stream of our own: pygls closes it at the end.
    server.protocol.set_writer(StdoutWriter(os.fdopen(os.dup(sys.stdout.fileno()), "wb")))
    incoming = Incoming(sys.stdin.fileno())
    looking = asyncio.ensure_future(end_without_editor(server, incoming))
    try:
        with _signals_wake():
            await run_async(Event(), incoming, server.protocol, LOG, server.report_server_error)
    except SystemExit as end:  # the editor has said `exit`, unless a signal has ended it
        if end.code not in (0, 1):
            raise
        return not end.code
    finally:
        looking.cancel()
        bench.close()
    return False


@contextlib.contextmanager
def _signals_wake() -> Iterator[None]:
    """Have each signal wake the loop, so that its handler runs.

    One that comes just before the loop begins to wait, or to another thread, would be noticed only
    when the loop does something anyway, which may be never.
    """
    if sys.platform == "win32":  # there, the loop sees to that itself
        yield
        return
    loop = asyncio.get_running_loop()
    woken, waking = socket.socketpair()
    with woken, waking:
        for end in (woken, waking):
            end.setblocking(False)
        loop.add_reader(woken, woken.recv, _CHUNK)
        before = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(woken)


class Incoming:
    """What the editor sends.

    It is read in a thread that nobody has to wait for: an editor may keep the pipe open for ever.

    Args:
        descriptor: where to read it.
    """

    def __init__(self, descriptor: int) -> None:
        self._stream = asyncio.StreamReader(limit=_LONGEST_HEADER)
        loop = asyncio.get_running_loop()

        def read() -> None:
            data = b"anything"
            while data:
                try:
                    data = os.read(descriptor, _CHUNK)
                except OSError:
                    data = b""
                take = self._stream.feed_data if data else lambda _: self._stream.feed_eof()
                with contextlib.suppress(RuntimeError):  # the server has ended
                    loop.call_soon_threadsafe(take, data)

        Thread(target=read, daemon=True).start()

    def end(self) -> None:
        """Take nothing in any more."""
        self._stream.feed_eof()

    async def readline(self) -> bytes:
        """Return a line of a header; an empty one for what is too long to be one."""
        try:
            return await self._stream.readline()
        except ValueError:
            LOG.error("what was sent is not a message")
            return b"\n"

    async def readexactly(self, count: int) -> bytes:
        """Return so many bytes; none if they don't come, which ends the server."""
        if count > _MOST_BYTES:
            LOG.error("a message of %d bytes was announced, which is too many", count)
            return b""
        try:
            return await self._stream.readexactly(count)
        except asyncio.IncompleteReadError:
            LOG.error("the connection ended amid a message")
            return b""


async def end_without_editor(server: Server, incoming: Incoming, every: float = _EVERY) -> None:
    """Take nothing in any more when the editor is gone: somebody else may hold the pipe open.

    Args:
        server: knows the process of the editor, if that has said it.
        incoming: what it would send.
        every: after how many seconds it is looked again.
    """
    while sys.platform != "win32":  # there, to ask whether a process is there would end it
        await asyncio.sleep(every)
        if server.process_id is not None and os.getppid() != server.process_id:
            try:
                os.kill(server.process_id, 0)
            except ProcessLookupError:
                LOG.error("the editor is gone")
                incoming.end()
                return
            except OSError:  # it is there, and another user's
                pass


class _OneLine(logging.Formatter):
    """Writes a line, also of an error that pygls would write a traceback of."""

    def format(self, record: logging.LogRecord) -> str:
        words = record.getMessage().partition("\n")[0]
        if record.exc_info is not None and record.exc_info[1] is not None:
            error = record.exc_info[1]
            words += f" ({type(error).__name__}: {' '.join(str(error).split())})"
        return f"torchdev-lint: error: {words}"


def _log_lines() -> None:
    """Have what goes wrong written to stderr, which editors show in a log of theirs."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
