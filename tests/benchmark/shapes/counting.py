"""Counting the calls that linting takes, which is the same however much else a machine does.

Each file is linted in a process of its own, which has linted nothing before but what loads all that
is loaded late, and is a project of its own: what else was done, or lies around, doesn't count.
"""

from __future__ import annotations

import cProfile
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

from tests.benchmark.cost import load_what_loads_late
from tests.benchmark.shapes import SHAPES
from torchdev_lint.checking import check_file
from torchdev_lint.report import Task
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.discovery import Target
from torchdev_lint.stack import on_new_stack

_CONTEXT = multiprocessing.get_context("spawn")


class Counter:
    """A process that has files linted, each in a fork of it, and counts calls."""

    def __init__(self) -> None:
        self._connection, others = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(others,))
        self._process.start()
        others.close()

    def calls_for_a_character(self, name: str, size: int, folder: Path) -> float:
        """Return how many calls are made for each character of a file.

        Args:
            name: the shape.
            size: how large the file is.
            folder: an empty folder.
        """
        self._connection.send((name, size, folder))
        calls: float = self._connection.recv()
        return calls

    def end(self) -> None:
        """Have no process left."""
        self._connection.close()
        self._process.join()


def _serve(connection: Connection) -> None:
    load_what_loads_late()
    fork = multiprocessing.get_context("fork")
    while True:
        try:
            asked = connection.recv()
        except EOFError:
            return
        process = fork.Process(target=_count, args=(*asked, connection))
        process.start()
        process.join()


def _count(name: str, size: int, folder: Path, connection: Connection) -> None:
    text = SHAPES[name].of_size(size)
    (folder / "pyproject.toml").touch()
    path = folder / "shape.py"
    path.write_text(text)
    profile = cProfile.Profile()

    def check() -> object:
        return profile.runcall(check_file, Task(Target(str(path), named=True), BY_DEFAULT))

    on_new_stack(check)  # all that is done then is done in this thread, until that is too deep
    connection.send(sum(entry.callcount for entry in profile.getstats()) / len(text))
