"""The cache: asked for what is known of a file, and told what came out of one."""

from __future__ import annotations

import os

from torchdev_lint.cache import store
from torchdev_lint.cache.disk import Disk
from torchdev_lint.cache.entry import Asked, Entry, entry_from
from torchdev_lint.cache.paths import Paths
from torchdev_lint.cache.place import folder_for, prepare
from torchdev_lint.cache.shape import WrongShape
from torchdev_lint.cache.tidying import tidy
from torchdev_lint.cache.tool import version
from torchdev_lint.cache.trace import trace_of
from torchdev_lint.digest import blake2b
from torchdev_lint.project.seen import Seen
from torchdev_lint.records import replace
from torchdev_lint.report import FileReport


class Cache:
    """What is known from earlier runs.

    It holds for one run: what has been looked at on the disk is not looked at again.

    Args:
        folder: where everything is kept; None: each file's in the root of its project.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._disk = Disk()
        self._shelves: dict[str, _Shelf | None] = {}

    def __reduce__(self) -> tuple[type[Cache], tuple[str | None]]:
        return Cache, (self._folder,)

    def known(self, path: str, asked: Asked) -> FileReport | None:
        """Return the report of a file, None if it has to be made.

        Args:
            path: the file, as it is shown to the user.
            asked: what is wanted.
        """
        shelf = self._shelf_for(path)
        return None if shelf is None else shelf.known(path, asked, self._disk)

    def keep(self, asked: Asked, seen: Seen, report: FileReport) -> None:
        """Keep the report of a file.

        Args:
            asked: what was wanted.
            seen: what was looked at for it.
            report: the report, with all that it can have.
        """
        shelf = self._shelf_for(report.path)
        trace = trace_of(seen.whole())
        if shelf is not None and trace is not None:
            shelf.keep(Entry(asked, trace, report))

    def fact(self, path: str, name: str) -> object:
        """Return something that is so for this version, None if it is not known.

        Args:
            path: a file that is linted.
            name: what it is.
        """
        shelf = self._shelf_for(path)
        return None if shelf is None else store.read(shelf.place_of_fact(name))

    def keep_fact(self, path: str, name: str, value: object) -> None:
        """Keep something that is so for this version."""
        shelf = self._shelf_for(path)
        if shelf is not None:
            store.write(shelf.place_of_fact(name), value)

    def _shelf_for(self, path: str) -> _Shelf | None:
        try:
            folder = folder_for(os.path.abspath(path), self._folder)
        except (OSError, ValueError):
            return None
        if folder not in self._shelves:
            inner = prepare(folder, version())
            if inner is not None:
                tidy(folder, inner)
            self._shelves[folder] = None if inner is None else _Shelf(inner, Paths(folder))
        return self._shelves[folder]


class _Shelf:
    """What is kept in one folder, by one version.

    Args:
        folder: the folder.
        paths: what is made of the paths of files.
    """

    def __init__(self, folder: str, paths: Paths) -> None:
        self._folder = folder
        self._paths = paths

    def known(self, path: str, asked: Asked, disk: Disk) -> FileReport | None:
        place = self._place_of(path, asked.kind)
        value = store.read(place)
        if value is None:
            return None
        try:
            entry = entry_from(value, path, self._paths)
        except WrongShape:
            return None
        report = entry.for_(asked)
        if report is None or entry.trace.is_untouched(disk):
            return report
        trace = entry.trace.renewed(disk)
        if trace is None:
            return None
        store.write(place, replace(entry, trace=trace).as_json(self._paths))
        return report

    def keep(self, entry: Entry) -> None:
        store.write(self._place_of(entry.report.path, entry.asked.kind), entry.as_json(self._paths))

    def place_of_fact(self, name: str) -> str:
        return os.path.join(self._folder, name + store.ENDING)

    def _place_of(self, path: str, kind: str) -> str:
        name = f"{kind}\0{self._paths.relative(os.path.abspath(path))}"
        number = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16)
        return os.path.join(self._folder, number.hexdigest() + store.ENDING)
