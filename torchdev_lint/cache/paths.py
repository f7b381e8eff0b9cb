"""Paths as they are kept: as seen from the cache, so that it can be moved with its project."""

from __future__ import annotations

import os
from collections.abc import Iterable

from torchdev_lint.cache.shape import every, fields, text


class Paths:
    """Makes paths fit to be kept.

    Args:
        folder: where they are kept, absolute.
    """

    def __init__(self, folder: str) -> None:
        self._from = os.path.dirname(folder)
        self._relative: dict[str, str] = {}
        self._absolute: dict[str, str] = {}

    def relative(self, path: str) -> str:
        """Return an absolute path as seen from beside the cache."""
        if path not in self._relative:
            try:
                self._relative[path] = os.path.relpath(path, self._from)
            except ValueError:  # on another drive
                self._relative[path] = path
        return self._relative[path]

    def absolute(self, path: str) -> str:
        """Return what such a path leads to."""
        if path not in self._absolute:
            self._absolute[path] = os.path.normpath(os.path.join(self._from, path))
        return self._absolute[path]

    def relatives(self, paths: Iterable[str]) -> list[str]:
        """Return absolute paths as seen from beside the cache."""
        return [self.relative(path) for path in paths]

    def absolutes(self, value: object) -> tuple[str, ...]:
        """Return what paths lead to.

        Raises:
            WrongShape: they are none.
        """
        return every(value, lambda path: self.absolute(text(path)))

    def grouped(self, files: Iterable[str]) -> list[list[object]]:
        """Return the paths of files by folders, in their order."""
        groups: list[list[object]] = []
        names: list[str] = []
        last = None
        for file in files:
            folder, name = os.path.split(file)
            if folder != last:
                last, names = folder, []
                groups.append([self.relative(folder), names])
            names.append(name)
        return groups

    def ungrouped(self, value: object) -> tuple[str, ...]:
        """Return the paths that were grouped.

        Raises:
            WrongShape: none were.
        """
        return tuple(path for group in every(value, self._group) for path in group)

    def _group(self, value: object) -> tuple[str, ...]:
        where, names = fields(value, 2)
        folder = self.absolute(text(where))
        return every(names, lambda name: os.path.join(folder, text(name)))
