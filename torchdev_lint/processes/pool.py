"""Sharing items out among worker processes, and taking in what came out of each."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeVar, cast

from torchdev_lint.processes.start import Worker, can_fork, end, fork, start_afresh

Item = TypeVar("Item")
Result = TypeVar("Result")

DIED = "the process that worked on it died; the memory may not have been enough"
_BATCH = 8
"""How many items a worker is sent at once, so that it need not wait for the next."""
_PATIENCE = 5.0
"""How many seconds a worker has to finish what it must not leave half done."""
_TIME_TO_START = 30.0
_TICK = 0.1
"""How often to look up from waiting: on some systems a signal is noticed only then."""
_ABSENT = 1.0
"""How many seconds between two looks mean that this process could not go on."""
_DEAD = None


class Pool(Generic[Item, Result]):
    """A fixed number of worker processes.

    Each has a queue of a few items. It works on the first of them; if that takes too long, or the
    process dies over it, the item has failed, the others go back, and another process takes over.

    Args:
        check: what to do with an item; both are sent to other processes, and so is the result.
        failed: what to make of an item that failed, and why.
        jobs: how many processes.
        limit: how many seconds an item may take; None: as long as it wants to.
        late: takes the results that are there when the iterator is closed before their turn has
            come; None: nobody wants them.
    """

    def __init__(
        self,
        check: Callable[[Item], Result],
        failed: Callable[[Item, str], Result],
        jobs: int,
        limit: float | None,
        late: Callable[[Result], None] | None = None,
    ) -> None:
        self._check = check
        self._failed = failed
        self._jobs = jobs
        self._limit = float("inf") if limit is None else limit
        self._late = late
        self._items: Sequence[Item] = ()
        self._waiting: deque[int] = deque()
        self._done: dict[int, Result] = {}
        self._busy: dict[Worker, _Queue] = {}
        self._events: SimpleQueue[Worker] = SimpleQueue()
        self._listeners: list[Thread] = []
        self._looked = time.monotonic()

    def results(self, items: Sequence[Item]) -> Generator[Result, None, None]:
        """Yield the result of each item, in their order.

        The processes end with the iterator, also if it is closed before its end.
        """
        self._items, self._waiting = items, deque(range(len(items)))
        try:
            self._start()
            for number in range(len(items)):
                while number not in self._done:
                    self._proceed()
                yield self._done.pop(number)
        finally:
            self._take_in_last_words()
            end(self._busy, _PATIENCE)
            for thread in self._listeners:
                thread.join(_PATIENCE)
            self._take_in_last_words()
            if self._late is not None:
                done = [self._done[number] for number in sorted(self._done)]
                for result in {id(each): each for each in done}.values():
                    self._late(result)

    def _take_in_last_words(self) -> None:
        """Take in what workers have said, and do nothing about those that have died."""
        for worker in self._busy:
            while worker.inbox and worker.inbox[0][1] is not _DEAD:
                self._take_in(worker, *worker.inbox.popleft())

    def _start(self) -> None:
        """Start all workers as copies, which can be done only while there are no threads."""
        if can_fork():
            with contextlib.suppress(OSError):  # no more processes allowed
                for _ in range(min(self._jobs, len(self._items))):
                    self._busy[fork(self._check, self._busy)] = _Queue()
            for worker in self._busy:
                self._listen_to(worker)

    def _proceed(self) -> None:
        """Hand out what can be handed out, and wait until something has happened."""
        while self._waiting and len(self._busy) < self._jobs:
            try:
                worker = start_afresh(self._check)
            except OSError:
                if self._busy:
                    break
                number = self._waiting.popleft()  # no process can be started: do without
                self._done[number] = self._check(self._items[number])
                return
            self._busy[worker] = _Queue()
            self._listen_to(worker)
        for worker, queue in self._busy.items():
            if queue.left <= _BATCH // 2:
                self._hand_out(worker, queue)
        with contextlib.suppress(Empty):
            worker = self._events.get(timeout=_TICK)
            while True:
                self._read_inbox(worker)
                worker = self._events.get_nowait()
        self._give_up_what_takes_too_long()

    def _hand_out(self, worker: Worker, queue: _Queue) -> None:
        """Send a worker some items; the fewer are left, the fewer at once."""
        share = max(1, min(_BATCH, len(self._waiting) // (2 * self._jobs)))
        numbers = [self._waiting.popleft() for _ in range(min(share, len(self._waiting)))]
        if numbers:
            if worker.ready and not queue.left:
                queue.deadline = self._deadline()
            queue.numbers.extend(numbers)
            worker.send([self._items[number] for number in numbers])

    def _read_inbox(self, worker: Worker) -> None:
        """Deal with what a worker has replied; what Ctrl-C interrupts is still there afterwards."""
        while worker.inbox:
            self._take_in(worker, *worker.inbox[0])
            worker.inbox.popleft()

    def _take_in(self, worker: Worker, serial: int, reply: object) -> None:
        """Deal with a reply, unless that was done already when an end came in between."""
        queue = self._busy.get(worker)
        if queue is None:  # it was given up; these are its last words
            return
        if reply is _DEAD:
            self._retire(worker, DIED)
            return
        if serial < queue.taken:
            return
        if serial:  # the first one says that it is ready
            self._done[queue.current] = cast(Result, reply)
        worker.ready = True
        queue.deadline = self._deadline()
        queue.taken = serial + 1

    def _give_up_what_takes_too_long(self) -> None:
        now = time.monotonic()
        away, self._looked = now - self._looked, now
        if away > _ABSENT:  # stopped, or held up by who reads the output; perhaps all of us were
            for queue in self._busy.values():
                queue.deadline += away
        late = [w for w, queue in self._busy.items() if queue.left and queue.deadline < now]
        for worker in late:
            self._retire(
                worker,
                f"took longer than {self._limit:g} seconds" if worker.ready else DIED,
            )

    def _retire(self, worker: Worker, reason: str) -> None:
        """Do without a worker, and without the item that it was working on."""
        queue = self._busy.pop(worker)
        end([worker], _PATIENCE)
        left = queue.numbers[len(queue.numbers) - queue.left :]
        if left:
            self._done[left[0]] = self._failed(self._items[left[0]], reason)
        self._waiting.extendleft(reversed(left[1:]))

    def _deadline(self) -> float:
        return time.monotonic() + self._limit

    def _listen_to(self, worker: Worker) -> None:
        listener = Thread(target=_listen, args=(worker, self._events), daemon=True)
        self._listeners.append(listener)
        listener.start()


class _Queue:
    """What a worker has been sent.

    Attributes:
        numbers: the items, in the order in which they are worked on.
        taken: how many of its replies were dealt with. It alone tells what is done, so that there
            is nothing half done when an end comes.
        deadline: when the item that it works on, or starting, takes too long.
    """

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.taken = 0
        self.deadline = time.monotonic() + _TIME_TO_START

    @property
    def left(self) -> int:
        """How many of the items are not done."""
        return len(self.numbers) - max(self.taken - 1, 0)

    @property
    def current(self) -> int:
        """The item that the next reply is of."""
        return self.numbers[self.taken - 1]


def _listen(worker: Worker, events: SimpleQueue[Worker]) -> None:
    """Pass on what a worker replies, and that there will be no more of it."""
    serial = 0
    try:
        with worker.replies as replies:
            while True:
                worker.inbox.append((serial, pickle.load(replies)))
                serial += 1
                events.put(worker)
    except Exception:  # it may have died amid a reply, of which anything may be left
        worker.inbox.append((serial, _DEAD))
        events.put(worker)
