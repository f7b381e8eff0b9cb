"""The process in which files are analysed: it may hang or die, and the server goes on."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from collections import deque
from collections.abc import Callable
from threading import Thread

from torchdev_lint.processes.start import Worker, end, start_afresh
from torchdev_lint.server.questions import Failure, Question, answer

_LIMIT = 30.0
"""How many seconds one question may take: far more than any file needs."""
_TIME_TO_START = 60.0
_PATIENCE = 1.0
_DIED = Failure("the process that analysed it died; the memory may not have been enough")


class Bench:
    """Has questions answered, one after the other, in a process that is started for the first.

    Args:
        limit: how many seconds one may take.
        work: what answers them there.
    """

    def __init__(self, limit: float = _LIMIT, work: Callable[[Question], object] = answer) -> None:
        self._limit = limit
        self._work = work
        self._worker: Worker | None = None
        self._waiting: deque[asyncio.Future[object]] = deque()
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> object:
        """Return the answer to a question, or a `Failure`."""
        async with self._turn:
            failure = await self._make_ready()
            if failure is not None or self._worker is None:
                return failure or _DIED
            self._worker.send([question])
            return await self._reply(self._limit)

    async def prepare(self) -> None:
        """Start the process, so that the first question need not wait for it."""
        await self.ask(Question({}, "nothing"))

    async def _make_ready(self) -> Failure | None:
        if self._worker is not None:
            return None
        try:
            self._start()
        except OSError as error:
            return Failure(f"no process can be started: {error.strerror}")
        said = await self._reply(_TIME_TO_START)  # the first thing it says is that it is ready
        return said if isinstance(said, Failure) else None

    async def _reply(self, limit: float) -> object:
        """Return what the process says next, or a `Failure`, after which there is none."""
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await asyncio.wait_for(future, limit)
        except asyncio.TimeoutError:
            self.close()
            return Failure(f"took longer than {limit:g} seconds")

    def close(self) -> None:
        """End the process; what is asked next starts another one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            end([worker], _PATIENCE)
        while self._waiting:
            self._give(self._waiting.popleft(), _DIED)

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        worker = self._worker = start_afresh(self._work)

        def listen() -> None:
            # It may end at any time, amid a reply as well, of which anything may be left.
            with contextlib.suppress(Exception), worker.replies as replies:
                while True:
                    reply = pickle.load(replies)
                    loop.call_soon_threadsafe(self._take, worker, reply)
            with contextlib.suppress(RuntimeError):  # nobody is there any more
                loop.call_soon_threadsafe(self._bury, worker)

        # It must keep nobody from ending: what it reads may never come.
        Thread(target=listen, daemon=True).start()

    def _take(self, worker: Worker, reply: object) -> None:
        if worker is self._worker:  # else it was given up, and these are its last words
            worker.ready = True
            self._give(self._waiting.popleft(), reply)

    def _bury(self, worker: Worker) -> None:
        if worker is self._worker:
            self.close()

    @staticmethod
    def _give(future: asyncio.Future[object], result: object) -> None:
        if not future.done():  # whoever asked may have gone
            future.set_result(result)
