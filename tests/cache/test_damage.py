"""Whatever lies in the cache, the output is the same: what is no entry is made anew."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cache.projects import (
    CACHE,
    cached,
    entries,
    entry_about,
    finds_out,
    forge,
    project_in,
    run,
)
from torchdev_lint.cache import store
from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.entry import Asked, entry_from
from torchdev_lint.cache.paths import Paths
from torchdev_lint.cache.shape import WrongShape
from torchdev_lint.rules import BY_DEFAULT

ASKED = Asked("file", "", BY_DEFAULT.rules, "", named=False, unsafe=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of which results are kept."""
    project = project_in(tmp_path_factory.mktemp("damaged"))
    assert run(project).code == 1
    return project


@pytest.fixture(scope="module")
def entry(project: Path) -> Path:
    """The entry about `main.py`."""
    return entry_about("main.py", project)


def known(project: Path) -> str | None:
    """What the cache says of `main.py`."""
    cache = Cache(str(project / CACHE))
    report = cache.known(str(project / "main.py"), ASKED)
    return None if report is None else repr(report)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_bytes_that_are_changed(project: Path, entry: Path, data: st.DataObject) -> None:
    whole = entry.read_bytes()
    before = known(project)
    assert before is not None
    at = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(at, len(whole)))
    damaged = whole[:at] + data.draw(st.binary(max_size=8)) + whole[end:]
    entry.write_bytes(damaged)
    try:
        assert known(project) in ((before,) if damaged == whole else (None,))
    finally:
        entry.write_bytes(whole)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_parts_that_are_exchanged(project: Path, entry: Path, data: st.DataObject) -> None:
    """Also with a checksum that is right, nothing comes back that has not the shape of an entry."""
    value = store.read(str(entry))
    put = data.draw(st.sampled_from(list(places_in(value))))
    put(data.draw(JSON))
    paths, main = Paths(str(project / CACHE)), str(project / "main.py")
    try:
        made = entry_from(value, main, paths)
    except WrongShape:
        return
    assert entry_from(json.loads(json.dumps(made.as_json(paths))), main, paths) == made


def places_in(value: object) -> list[Callable[[object], None]]:
    """All places in JSON at which something else can be put."""
    found: list[Callable[[object], None]] = []
    pending = [value]
    while pending:
        at = pending.pop()
        if isinstance(at, dict):
            found += [partial(at.__setitem__, key) for key in at]
            pending += at.values()
        elif isinstance(at, list):
            found += [partial(at.__setitem__, number) for number in range(len(at))]
            pending += at
    return found


@pytest.mark.parametrize(
    "damage",
    [b"", b"{}", b"null", b"\x80\x05]\x94.", b"[" * 100_000, b"\x00" * 64, b"\xff\xfe"],
    ids=["empty", "object", "nothing", "pickle", "deep", "zeros", "no text"],
)
@pytest.mark.parametrize("summed", [False, True], ids=["as it is", "with its sum"])
def test_what_is_no_entry(tmp_path: Path, damage: bytes, summed: bool) -> None:
    project = project_in(tmp_path)
    expected = run(project)
    for path in cached(project):
        path.write_bytes(store._sum_of(damage) + damage if summed else damage)
    assert run(project) == expected
    assert not finds_out(project)


def test_folders_in_the_place_of_entries(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project)
    for path in cached(project):
        path.unlink()
        path.mkdir()
        (path / "file").touch()
    assert run(project) == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_pipes_in_the_place_of_entries(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project)
    for path in cached(project):
        path.unlink()
        os.mkfifo(path)
    assert run(project) == expected


def test_a_file_in_the_place_of_the_cache(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project, "--no-cache")
    (project / CACHE).write_text("mine")
    assert run(project) == expected
    assert (project / CACHE).read_text() == "mine"


def test_the_entry_of_another_file(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project)
    first, second = entries(project)
    data = first.read_bytes(), second.read_bytes()
    first.write_bytes(data[1])
    second.write_bytes(data[0])
    assert run(project) == expected


def test_messages_are_shown_as_texts_of_files_are(tmp_path: Path) -> None:
    """Who can write to the cache can't write to the terminal."""
    project = project_in(tmp_path)
    run(project)
    for path in entries(project):
        forge(path, "makes a tensor", "\\u001b[2J::error::")
    out = run(project).out
    assert "\x1b" not in out
    assert r"\x1b[2J" in out


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_cache_of_somebody_else(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project)
    for path in cached(project):
        path.chmod(0)
    assert run(project) == expected
