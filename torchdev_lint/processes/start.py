"""Starting and ending a worker process: by forking this one, or in a new interpreter."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import IO, Any, NoReturn, Protocol

from torchdev_lint import signals
from torchdev_lint.processes.worker import serve

_POLLING = 0.001


class Process(Protocol):
    """A process that was started, such as a `subprocess.Popen`."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""

    def poll(self) -> int | None:
        """Return a number if it has ended."""


class Worker:
    """A worker process and the two pipes that lead to it and back.

    Args:
        process: the process.
        requests: where items are sent.
        replies: where results come from.
        is_copy: whether it is a copy of this process, which deals with signals within milliseconds.

    Attributes:
        ready: whether it has said so.
        inbox: what it has replied and nobody has dealt with, each with its number from 0 on.
    """

    def __init__(
        self, process: Process, requests: IO[bytes], replies: IO[bytes], is_copy: bool = False
    ) -> None:
        self.process = process
        self.requests = requests
        self.replies = replies
        self.is_copy = is_copy
        self.ready = False
        self.inbox: deque[tuple[int, object]] = deque()

    def send(self, what: object) -> None:
        """Send it something; if it is dead, its replies have ended as well, and tell that."""
        with contextlib.suppress(OSError):
            pickle.dump(what, self.requests, pickle.HIGHEST_PROTOCOL)
            self.requests.flush()


def can_fork() -> bool:
    """Whether a copy of this process can take over work.

    Only on Linux: elsewhere a copy may lack what the system's libraries keep in threads. A thread
    of our own would leave its locks locked.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def fork(check: Callable[[Any], object], others: Iterable[Worker]) -> Worker:
    """Start a worker as a copy of this process, within milliseconds.

    Args:
        check: what it does with an item.
        others: the workers that were forked before; the copy must not hold their pipes open.
    """
    request_end, requests = os.pipe()
    replies, reply_end = os.pipe()
    # Signals wait until somebody knows of the new process. It inherits that, and unblocks them when
    # it is ready to deal with them.
    with signals.blocked():
        pid = os.fork()
        if pid == 0:
            inherited = [requests, replies]
            for other in others:
                inherited += [other.requests.fileno(), other.replies.fileno()]
            _work_as_a_copy(check, request_end, reply_end, inherited)
    os.close(request_end)
    os.close(reply_end)
    return Worker(_Copy(pid), os.fdopen(requests, "wb"), os.fdopen(replies, "rb"), is_copy=True)


def _work_as_a_copy(
    check: Callable[[Any], object], requests: int, replies: int, inherited: list[int]
) -> NoReturn:
    try:
        for descriptor in inherited:
            os.close(descriptor)
        serve(os.fdopen(requests, "rb"), os.fdopen(replies, "wb"), check)
    finally:  # whatever happens: the copy must not go on with what its parent was about to do
        os._exit(1)


def start_afresh(check: Callable[[Any], object]) -> Worker:
    """Start a worker in an interpreter of its own.

    Args:
        check: what it does with an item; it is sent there.

    Raises:
        OSError: there is no interpreter that can be started.
    """
    import subprocess

    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start_worker.py")
    path = [entry for entry in sys.path if entry]  # the empty one is the current folder
    with signals.blocked():  # as in `fork`
        process = subprocess.Popen(
            [sys.executable, start, *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # On Windows nothing can be blocked, but Ctrl-C reaches one group only.
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    assert process.stdin is not None
    assert process.stdout is not None
    worker = Worker(process, process.stdin, process.stdout)
    worker.send(check)
    return worker


class _Copy:
    """A copy of this process."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def poll(self) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # whoever started us wanted nobody to wait for children
                pid, status = self._pid, 0
            self._status = status if pid else None
        return self._status

    def _signal(self, number: signal.Signals) -> None:
        if self.poll() is None:  # else the number may be another's by now
            os.kill(self._pid, number)


def end(workers: Iterable[Worker], patience: float) -> None:
    """End processes, at once but for those that do something which must not be left half done.

    Args:
        workers: the workers.
        patience: how many seconds these may take until they are killed all the same.
    """
    workers = list(workers)
    for worker in workers:
        if worker.ready or worker.is_copy:
            worker.process.terminate()
        else:  # it doesn't listen yet
            worker.process.kill()
    running = _still_running([worker.process for worker in workers], patience)
    for process in running:
        process.kill()
    _still_running(running, patience)
    for worker in workers:
        with contextlib.suppress(OSError):  # what it hasn't read any more
            worker.requests.close()


def _still_running(processes: list[Process], patience: float) -> list[Process]:
    limit = time.monotonic() + patience
    while processes := [process for process in processes if process.poll() is None]:
        if time.monotonic() > limit:
            break
        time.sleep(_POLLING)
    return processes
