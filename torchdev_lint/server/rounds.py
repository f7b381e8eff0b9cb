"""When open documents are analysed: soon after they, or what they import, have changed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable

from torchdev_lint.config.patterns import within
from torchdev_lint.records import dataclass
from torchdev_lint.report import FileReport
from torchdev_lint.server.bench import Bench
from torchdev_lint.server.documents import Document, Documents
from torchdev_lint.server.questions import About, Checked, Failure, Hints, Question

_REST = 0.2
"""For how many seconds nobody must have typed."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """A document, and what was found in it.

    Args:
        document: as it was then.
        checked: that.
    """

    document: Document
    checked: Checked


class Rounds:
    """Has open documents analysed.

    Args:
        documents: those that are open.
        bench: where they are analysed.
        tell: is told what was found in a document as it is now.
        complain: is told why nothing could be found out.
        rest: for how many seconds nobody must have typed.
    """

    def __init__(
        self,
        documents: Documents,
        bench: Bench,
        tell: Callable[[Analysed], None],
        complain: Callable[[str], None],
        rest: float = _REST,
    ) -> None:
        self._documents = documents
        self._bench = bench
        self._tell = tell
        self._complain = complain
        self._rest = rest
        self._analysed: dict[str, Analysed] = {}
        self._outdated: dict[str, None] = {}
        self._in_work: dict[str, asyncio.Task[None]] = {}
        self._hints: dict[str, tuple[Document, Hints]] = {}
        self._running: asyncio.Task[None] | None = None
        self._last_change = 0.0

    def changed(self, uri: str) -> None:
        """Have a document analysed that was opened or changed, and those that rest on it."""
        document = self._documents.get(uri)
        if document is not None:
            is_new = uri not in self._analysed and not os.path.exists(document.path)
            self._outdated = {uri: None, **self._outdated}
            self._changed(document.path, is_new)

    def closed(self, uri: str) -> None:
        """Forget a document; what rests on it rests on the file again."""
        analysed = self._analysed.pop(uri, None)
        self._outdated.pop(uri, None)
        if analysed is not None:
            path = analysed.document.path
            self._changed(path, not os.path.exists(path))

    def _changed(self, path: str, is_new: bool) -> None:
        """Have analysed what rests on a file; all, if imports may have looked for it in vain."""
        if is_new:
            self.all_changed()
        else:
            self.changed_on_disk([path])

    def changed_on_disk(self, paths: Iterable[str]) -> None:
        """Have those documents analysed that rest on files which have changed."""
        changed = list(paths)
        for uri, analysed in self._analysed.items():
            if any(_rests_on(analysed.checked, path) for path in changed):
                self._outdated[uri] = None
        # What these rest on is not known yet.
        self._outdated.update(dict.fromkeys(self._in_work))
        self._start()

    def all_changed(self) -> None:
        """Have all documents analysed."""
        self._outdated.update((document.uri, None) for document in self._documents.every())
        self._start()

    def of(self, uri: str) -> Analysed | None:
        """Return what was found in a document as it is now, None if that isn't known yet."""
        analysed, document = self._analysed.get(uri), self._documents.get(uri)
        if analysed is None or document is None or uri in self._outdated:
            return None
        return analysed if analysed.document == document else None

    async def now(self, uri: str) -> Analysed | None:
        """Return what is found in a document as it is now, None if that can't be told.

        While somebody types nothing is analysed: editors ask at each key.
        """
        while self.of(uri) is None and self._documents.get(uri) is not None:
            await self._rested()
            if self.of(uri) is None:
                self._outdated.pop(uri, None)
                await self._analysed_by_one(uri)
        return self.of(uri)

    async def hints(self, uri: str) -> tuple[Document, Hints] | None:
        """Return where what a document binds lives, None if that can't be told."""
        await self._rested()
        document = self._documents.get(uri)
        if document is None:
            return None
        known = self._hints.get(uri)
        if known is None or known[0] != document:
            found = await self.ask("hints", document.path)
            if not isinstance(found, Hints):
                return None
            known = self._hints[uri] = document, found
        return known

    async def ask(self, about: About, *arguments: object) -> object:
        """Have something else found out about documents; None if it couldn't be."""
        found = await self._bench.ask(Question(self._documents.held(), about, arguments))
        if isinstance(found, Failure):
            self._complain(found.message)
            return None
        return found

    def _start(self) -> None:
        self._last_change = asyncio.get_running_loop().time()
        self._hints.clear()  # they rest on other files as well
        if self._outdated and (self._running is None or self._running.done()):
            self._running = asyncio.ensure_future(self._run())

    async def _rested(self) -> None:
        """Wait until nobody has typed for a while."""
        loop = asyncio.get_running_loop()
        while (rest := self._last_change + self._rest - loop.time()) > 0:
            await asyncio.sleep(rest)

    async def _run(self) -> None:
        """Analyse what is outdated, whenever nobody has typed for a while."""
        while self._outdated:
            await self._rested()
            if self._outdated:  # else somebody has asked for it meanwhile
                uri = next(iter(self._outdated))
                del self._outdated[uri]
                await self._analysed_by_one(uri)

    async def _analysed_by_one(self, uri: str) -> None:
        """Have a document analysed, once for all who want that at the same time."""
        if uri not in self._in_work:
            task = self._in_work[uri] = asyncio.ensure_future(self._analyse(uri))
            task.add_done_callback(lambda _: self._in_work.pop(uri, None))
        await asyncio.shield(self._in_work[uri])  # who wants it no more may not be the only one

    async def _analyse(self, uri: str) -> None:
        document = self._documents.get(uri)
        if document is None:
            return
        checked = await self.ask("findings", document.path)
        if not isinstance(checked, Checked):
            checked = Checked(FileReport(document.path))
        if self._documents.get(uri) == document:  # else it is outdated by now
            self._analysed[uri] = analysed = Analysed(document, checked)
            self._tell(analysed)


def _rests_on(checked: Checked, path: str) -> bool:
    """Whether what was found rests on a file, whose name systems may know in several forms."""
    name = os.path.normcase(path)
    if any(os.path.normcase(read) == name for read in checked.read):
        return True
    return any(within(folder)(path) for folder in checked.searched)
