"""What is found in a file depends on the project on disk, never on how it was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import flake8, lint
from tests.fixtures import PROJECTS, Fixture, name_of

_OPTIONS = ("--output-format", "json", "--exit-zero")
_FLAKE8_LINE = re.compile(r"(?:\./)?(.+):(\d+):(\d+): (TDL\d{3}) ")


class Found(NamedTuple):
    """A finding, as all ways to ask for it tell it."""

    path: str
    row: int
    column: int
    code: str


Way = Callable[[Path, Sequence[str]], list[Found]]
"""Asks for what is found in some files of a project, in the order in which they are named."""


@contextmanager
def _put_together(projects: Sequence[Fixture]) -> Iterator[Path]:
    """One project of several, each in a folder of its own."""
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "pyproject.toml").touch()
        for project in projects:
            project.copied_to(folder)
        yield folder


def _told(folder: Path, out: str) -> list[Found]:
    """What a run tells in JSON."""
    return [
        Found(
            (folder / finding["filename"]).relative_to(folder).as_posix(),
            finding["location"]["row"],
            finding["location"]["column"],
            finding["code"],
        )
        for finding in json.loads(out)
    ]


def _lint(folder: Path, *arguments: str, stdin: bytes = b"") -> list[Found]:
    result = lint(*_OPTIONS, *arguments, cwd=folder, stdin=stdin)
    assert result.code == 0, result.err
    return _told(folder, result.out)


def _one_by_one(folder: Path, files: Sequence[str]) -> list[Found]:
    return [found for file in files for found in _lint(folder, "--no-cache", file)]


def _in_that_order(folder: Path, files: Sequence[str]) -> list[Found]:
    return _lint(folder, "--no-cache", "--jobs", "1", *files)


def _by_two_processes(folder: Path, files: Sequence[str]) -> list[Found]:
    return _lint(folder, "--no-cache", "--jobs", "2", *files)


def _on_stdin(folder: Path, files: Sequence[str]) -> list[Found]:
    return [
        found
        for file in files
        for found in _lint(
            folder, "--no-cache", "-", "--stdin-filename", file, stdin=(folder / file).read_bytes()
        )
    ]


def _with_results_of_others(folder: Path, files: Sequence[str]) -> list[Found]:
    """The cache knows of half of the files, then of all of them."""
    cache = ("--cache-dir", str(folder / "cache"))
    _lint(folder, *cache, *files[::2])
    cold = _lint(folder, *cache, *files)
    assert _lint(folder, *cache, *files) == cold
    return cold


def _in_flake8(folder: Path, files: Sequence[str]) -> list[Found]:
    result = flake8("--isolated", "--select", "TDL", "--jobs", "1", *files, cwd=folder)
    assert result.err == ""
    found = map(_FLAKE8_LINE.match, result.out.splitlines())
    return [Found(m[1], int(m[2]), int(m[3]), m[4]) for m in found if m is not None]


_WAYS: tuple[Way, ...] = (
    _one_by_one,
    _in_that_order,
    _by_two_processes,
    _on_stdin,
    _with_results_of_others,
    _in_flake8,
)


@pytest.mark.parametrize("way", _WAYS, ids=lambda way: way.__name__.strip("_"))
@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(
    projects=st.lists(st.sampled_from(PROJECTS), min_size=1, max_size=3, unique_by=name_of),
    data=st.data(),
)
def test_findings_are_the_same_however_they_are_asked_for(
    way: Way, projects: list[Fixture], data: st.DataObject
) -> None:
    with _put_together(projects) as folder:
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
        order = data.draw(st.permutations(files), label="order")
        some = order[: data.draw(st.integers(1, min(4, len(order))), label="how many")]
        expected = [found for found in _lint(folder, "--no-cache", ".") if found.path in some]
        assert sorted(way(folder, some)) == sorted(expected)
