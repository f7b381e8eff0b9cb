"""Where results are kept, and what becomes of them there."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.cache.projects import (
    CACHE,
    HERE,
    cached,
    entries,
    entry_about,
    finds_out,
    project_in,
    read_entry,
    run,
)
from tests.command import CLEAN, flake8, lint


def test_the_root_of_the_project(tmp_path: Path) -> None:
    project = project_in(tmp_path / "project", {"package/sub/a.py": CLEAN})
    run(project / "package" / "sub", "a.py")
    assert len(entries(project)) == 1
    assert not (project / "package" / "sub" / CACHE).exists()
    assert lint("project/package", cwd=tmp_path, env={"TORCHDEV_LINT_CACHE_DIR": ""}).code == 0
    assert not (tmp_path / CACHE).exists()
    assert not finds_out(tmp_path, "project/package")


def test_the_current_folder_where_there_is_no_root(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CLEAN)
    (tmp_path / "sub").mkdir()
    run(tmp_path / "sub", "../a.py")
    assert len(entries(tmp_path / "sub")) == 1


def test_it_says_what_it_is(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    run(project)
    status = subprocess.run(
        ["git", "status", "--short"], cwd=project, capture_output=True, text=True, check=True
    )
    assert CACHE not in status.stdout
    tag = (project / CACHE / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_no_cache_writes_and_reads_nothing(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    run(project, "--no-cache")
    lint(".", cwd=project, env={"TORCHDEV_LINT_CACHE_DIR": "", "TORCHDEV_LINT_NO_CACHE": "1"})
    off = {"TORCHDEV_LINT_CACHE_DIR": "", "TORCHDEV_LINT_NO_CACHE": "true"}
    assert "TDL002" in flake8(".", cwd=project, env=off).out
    assert not (project / CACHE).exists()
    run(project)
    assert finds_out(project, "--no-cache")


def test_nothing_is_written_anywhere_else(tmp_path: Path) -> None:
    project, home = project_in(tmp_path / "project"), tmp_path / "home"
    home.mkdir()
    env = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR")}
    assert lint(".", cwd=project, env={**env, **HERE}).code == 1
    assert not list(home.iterdir())
    names = {path.name for path in project.iterdir()}
    assert names == {"main.py", "helper.py", "pyproject.toml", CACHE}


@pytest.mark.parametrize("how", ["option", "environment"])
def test_another_folder(tmp_path: Path, how: str) -> None:
    project = project_in(tmp_path / "project")
    options = ["--cache-dir", "../deep/down"] if how == "option" else []
    env = {"TORCHDEV_LINT_CACHE_DIR": "" if options else str(tmp_path / "deep" / "down")}
    results = [lint(*options, ".", cwd=project, env=env) for _ in range(2)]
    assert results[0] == results[1]
    assert not (project / CACHE).exists()
    assert len(list((tmp_path / "deep" / "down").glob("v*/*.json"))) == 3
    assert (tmp_path / "deep" / "down" / ".gitignore").exists()


def test_two_projects_in_one_folder(tmp_path: Path) -> None:
    one = project_in(tmp_path / "one")
    other = project_in(tmp_path / "other", {"main.py": CLEAN})
    for _ in "cold", "warm":
        for project, code in (one, 1), (other, 0):
            assert lint("--cache-dir", "../cache", ".", cwd=project).code == code
    assert not finds_out(one, "--cache-dir", "../cache", ".")


def test_files_of_somebody_else_stay_what_they_are(tmp_path: Path) -> None:
    """Git would ignore them as well, if their folder were marked."""
    project = project_in(tmp_path)
    assert run(project, "--cache-dir", ".").code == 1
    assert not (project / ".gitignore").exists()
    assert run(project, "--cache-dir", ".", "--clear-cache").code == 0
    names = {path.name for path in project.iterdir()}
    assert names == {"main.py", "helper.py", "pyproject.toml"}


def test_clear_cache(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    run(project)
    assert run(project, "--clear-cache") == run(project, "--clear-cache", "main.py")
    assert not (project / CACHE).exists()
    assert finds_out(project)
    assert not finds_out(project)


def test_clear_cache_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    run(project)
    mine = project / CACHE / "mine.txt"
    mine.touch()
    assert run(project, "--clear-cache").code == 0
    assert not cached(project)
    assert mine.exists()


class TestLinksInIt:
    """A repository may bring a cache with links that lead anywhere."""

    def test_no_file_is_written_through_them(self, tmp_path: Path) -> None:
        project, mine = project_in(tmp_path / "project"), tmp_path / "mine"
        mine.write_text("mine")
        (project / CACHE).mkdir()
        (project / CACHE / ".gitignore").symlink_to(mine)
        run(project)
        mark = next((project / CACHE).glob("v*/tidied"))
        mark.unlink()
        mark.symlink_to(mine)
        os.utime(mark, (0, 0), follow_symlinks=False)
        run(project)
        assert mine.read_text() == "mine"

    def test_nothing_is_removed_through_them(self, tmp_path: Path) -> None:
        project, mine = project_in(tmp_path / "project"), tmp_path / "mine"
        mine.mkdir()
        (mine / "old").touch()
        os.utime(mine / "old", (0, 0))
        (project / CACHE).mkdir()
        (project / CACHE / ("v" + "0" * 32)).symlink_to(mine)
        run(project)
        assert run(project, "--clear-cache").code == 0
        assert (mine / "old").exists()

    def test_nothing_is_kept_behind_one(self, tmp_path: Path) -> None:
        project, mine = project_in(tmp_path / "project"), tmp_path / "mine"
        expected = run(project)
        kept = next((project / CACHE).glob("v*"))
        shutil.rmtree(kept)
        mine.mkdir()
        kept.symlink_to(mine)
        assert run(project) == expected
        assert not list(mine.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project, "--no-cache")
    project.chmod(0o555)
    try:
        assert run(project) == expected
    finally:
        project.chmod(0o755)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    expected = run(project, "--no-cache")
    (project / "file").touch()
    beside_file = run(project, "--cache-dir", "file/cache")
    assert "results can't be kept in file/cache" in beside_file.err
    nowhere = run(project, "--cache-dir", "/proc/nowhere/cache")
    for result in (beside_file, nowhere):
        assert (result.code, result.out) == (expected.code, expected.out)


def test_what_is_of_no_use_goes(tmp_path: Path) -> None:
    project = project_in(tmp_path, {"gone.py": CLEAN, "old.py": CLEAN, "used.py": CLEAN})
    run(project)
    before = time.time() - 31 * 86_400
    old = entry_about("old.py", project)
    os.utime(old, (before, before))
    version = old.parent
    (version / "half.json.tmp").touch()
    os.utime(version / "half.json.tmp", (before, before))
    os.utime(version / "tidied", (before, before))
    other = project / CACHE / ("v" + "0" * 32)
    other.mkdir()
    (other / "x.json").touch()
    os.utime(other / "x.json", (before, before))
    (project / "gone.py").unlink()
    run(project, "used.py")
    assert [read_entry(path)["path"] for path in entries(project)] == ["used.py"]
    assert not other.exists()
    assert not list(version.glob("*.tmp"))


def test_what_is_used_stays(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    run(project)
    before = time.time() - 29 * 86_400
    for path in cached(project):
        os.utime(path, (before, before))
    assert not finds_out(project)
    assert all(path.stat().st_mtime > time.time() - 3_600 for path in cached(project))
