"""What a worker process does: one item after the other, until its parent is gone."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

from torchdev_lint import signals
from torchdev_lint.garbage import collect_rarely

READY = b"ready"
"""The first thing that a worker says."""


def serve(requests: IO[bytes], replies: IO[bytes], check: Callable[[Any], object]) -> None:
    """Reply to requests, in their order, and never return: the process ends with its parent.

    Args:
        requests: the pickled items; when it ends, nobody wants the replies any more.
        replies: where the pickled results go.
        check: what to do with an item; while it blocks SIGTERM, the process doesn't end.
    """
    items: SimpleQueue[object] = SimpleQueue()
    # In a thread of its own, so that the end of the parent is noticed also while an item takes
    # forever. The signals stay blocked there, or it would take them while the main thread can't.
    signals.block()
    Thread(target=_listen, args=(requests, items), daemon=True).start()
    _leave_interrupts_to_the_parent()
    collect_rarely()
    _reply(replies, READY)
    while True:
        _reply(replies, check(items.get()))
        signals.unblock()  # what must not end without being told has been told


def _listen(requests: IO[bytes], items: SimpleQueue[object]) -> None:
    with contextlib.suppress(Exception):  # no more of them, or half of one
        while True:
            for item in pickle.load(requests):
                items.put(item)
    os.kill(os.getpid(), signal.SIGTERM)


def _reply(replies: IO[bytes], result: object) -> None:
    pickle.dump(result, replies, pickle.HIGHEST_PROTOCOL)
    replies.flush()


def _leave_interrupts_to_the_parent() -> None:
    """Let Ctrl-C, which reaches all processes, be dealt with by one; end when that one says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signals.unblock()
