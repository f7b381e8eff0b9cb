"""Files are replaced in one step, or not at all."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.command import DISCARDED, ROOT, lint
from torchdev_lint.applying.write import TEMPORARY, WriteError, replace_file

pytestmark = pytest.mark.slow

FIXED = DISCARDED.replace("images.to", "images = images.to")
needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anything")


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(TEMPORARY)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(b"before")
    return path


class TestReplacing:
    def test_the_content_is_replaced(self, file: Path) -> None:
        replace_file(str(file), b"before", b"after")
        assert (file.read_bytes(), leftovers(file.parent)) == (b"after", [])

    @pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664])
    def test_permissions_stay(self, file: Path, mode: int) -> None:
        file.chmod(mode)
        replace_file(str(file), b"before", b"after")
        assert file.stat().st_mode & 0o777 == mode

    def test_the_time_of_change_is_new(self, file: Path) -> None:
        os.utime(file, (1, 1))
        replace_file(str(file), b"before", b"after")
        assert file.stat().st_mtime > 1

    def test_extended_attributes_stay(self, file: Path) -> None:
        if not hasattr(os, "setxattr"):
            pytest.skip("this system has none")
        try:
            os.setxattr(file, "user.note", b"mine")
        except OSError:
            pytest.skip("this file system has none")
        replace_file(str(file), b"before", b"after")
        assert os.getxattr(file, "user.note") == b"mine"

    def test_a_link_stays_one(self, file: Path) -> None:
        (file.parent / "sub").mkdir()
        link = file.parent / "sub" / "link.py"
        link.symlink_to("../a.py")
        replace_file(os.path.realpath(link), b"before", b"after")
        assert link.is_symlink()
        assert file.read_bytes() == b"after"
        assert leftovers(file.parent) == []

    def test_a_file_that_changed_is_left_alone(self, file: Path) -> None:
        with pytest.raises(WriteError, match="has changed since it was read"):
            replace_file(str(file), b"something else", b"after")
        assert (file.read_bytes(), leftovers(file.parent)) == (b"before", [])

    def test_a_file_that_is_gone(self, file: Path) -> None:
        file.unlink()
        with pytest.raises(WriteError, match="No such file"):
            replace_file(str(file), b"before", b"after")
        assert list(file.parent.iterdir()) == []

    def test_a_read_only_file(self, file: Path) -> None:
        file.chmod(0o444)
        with pytest.raises(WriteError, match="is read-only"):
            replace_file(str(file), b"before", b"after")
        assert (file.read_bytes(), leftovers(file.parent)) == (b"before", [])

    @needs_permissions
    def test_a_read_only_folder(self, file: Path) -> None:
        file.parent.chmod(0o555)
        try:
            with pytest.raises(WriteError, match="Permission denied"):
                replace_file(str(file), b"before", b"after")
        finally:
            file.parent.chmod(0o755)
        assert file.read_bytes() == b"before"

    def test_hard_links_are_not_broken(self, file: Path) -> None:
        other = file.parent / "b.py"
        os.link(file, other)
        with pytest.raises(WriteError, match="has hard links"):
            replace_file(str(file), b"before", b"after")
        assert file.samefile(other)
        assert (file.read_bytes(), leftovers(file.parent)) == (b"before", [])

    @pytest.mark.parametrize("name", ["a" * 252 + ".py", "ä" * 126 + ".py", "a" * 100 + ".py"])
    def test_long_names(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_bytes(b"before")
        replace_file(str(path), b"before", b"after")
        assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"after", [path])

    @pytest.mark.parametrize("failing", ["fsync", "replace", "utime"])
    def test_whatever_fails_nothing_is_lost(
        self, file: Path, monkeypatch: pytest.MonkeyPatch, failing: str
    ) -> None:
        def full(*arguments: object, **named: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, failing, full)
        with pytest.raises(WriteError, match="No space left on device"):
            replace_file(str(file), b"before", b"after")
        assert (file.read_bytes(), leftovers(file.parent)) == (b"before", [])

    def test_an_interrupt_leaves_nothing_behind(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*arguments: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            replace_file(str(file), b"before", b"after")
        assert (file.read_bytes(), leftovers(file.parent)) == (b"before", [])


class TestSwapping:
    """What was found in a folder is replaced by a link out of it before it is written."""

    @pytest.fixture
    def outside(self, tmp_path: Path) -> Path:
        path = tmp_path / "outside"
        path.mkdir()
        (path / "a.py").write_bytes(b"before")
        return path

    @pytest.fixture
    def inside(self, tmp_path: Path) -> Path:
        path = tmp_path / "project" / "inside"
        path.mkdir(parents=True)
        (path / "a.py").write_bytes(b"before")
        return path

    def test_the_file(self, inside: Path, outside: Path) -> None:
        (inside / "a.py").unlink()
        (inside / "a.py").symlink_to(outside / "a.py")
        with pytest.raises(WriteError, match="is not a regular file"):
            replace_file(str(inside / "a.py"), b"before", b"after")
        assert [path.read_bytes() for path in outside.iterdir()] == [b"before"]

    @pytest.mark.parametrize("depth", [0, 1])
    def test_a_folder(self, inside: Path, outside: Path, depth: int) -> None:
        folder = [inside, *inside.parents][depth]
        folder.rename(folder.with_name("moved"))
        (outside / "inside").mkdir()
        (outside / "inside" / "a.py").write_bytes(b"before")
        folder.symlink_to(outside)
        with pytest.raises(WriteError, match="is a link now, or in a folder that is one"):
            replace_file(str(inside / "a.py"), b"before", b"after")
        assert {path.read_bytes() for path in outside.rglob("*.py")} == {b"before"}

    @pytest.mark.parametrize("moment", ["fsync", "replace"])
    def test_a_folder_while_it_is_written_to(
        self, inside: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, moment: str
    ) -> None:
        undisturbed = getattr(os, moment)

        def swapping(*arguments: object, **named: object) -> object:
            if not inside.is_symlink():
                inside.rename(inside.with_name("moved"))
                inside.symlink_to(outside)
            return undisturbed(*arguments, **named)

        monkeypatch.setattr(os, moment, swapping)
        with contextlib.suppress(WriteError):
            replace_file(str(inside / "a.py"), b"before", b"after")
        assert [path.read_bytes() for path in outside.iterdir()] == [b"before"]
        assert len(list(inside.with_name("moved").iterdir())) == 1

    def test_the_command(self, inside: Path, outside: Path) -> None:
        """Between finding and reading: a thread that swaps all the time finds no gap."""
        for path in (inside / "a.py", outside / "a.py"):
            path.write_text(DISCARDED)
        moved, ended = inside.with_name("moved"), threading.Event()

        def swap() -> None:
            while not ended.is_set():
                inside.rename(moved)
                inside.symlink_to(outside)
                inside.unlink()
                moved.rename(inside)

        swapping = threading.Thread(target=swap)
        swapping.start()
        try:
            for _ in range(5):
                lint("--fix", cwd=inside.parent)
        finally:
            ended.set()
            swapping.join()
        assert (outside / "a.py").read_text() == DISCARDED
        assert [path.name for path in outside.iterdir()] == ["a.py"]


class TestCommand:
    def test_a_read_only_file_among_others(self, tmp_path: Path) -> None:
        for name in "abc":
            (tmp_path / f"{name}.py").write_text(DISCARDED)
        (tmp_path / "b.py").chmod(0o444)
        result = lint("--fix", cwd=tmp_path)
        assert result.code == 2
        assert result.err == "b.py: error: cannot be fixed: is read-only\n"
        assert result.out.startswith("b.py:4:1: TDL001 ")
        texts = {name: (tmp_path / f"{name}.py").read_text() for name in "abc"}
        assert texts == {"a": FIXED, "b": DISCARDED, "c": FIXED}
        assert leftovers(tmp_path) == []

    def test_no_room_on_the_disk(self, tmp_path: Path) -> None:
        """A limit on the size of files stands for a full disk: writing fails half-way."""
        large = DISCARDED + "# filler\n" * 2000
        (tmp_path / "large.py").write_text(large)
        (tmp_path / "small.py").write_text(DISCARDED)

        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        done = subprocess.run(
            [sys.executable, "-m", "torchdev_lint", "--fix", "--no-cache", "."],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=limit,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr == "large.py: error: cannot be fixed: File too large\n"
        assert (tmp_path / "large.py").read_text() == large
        assert (tmp_path / "small.py").read_text() == FIXED
        assert leftovers(tmp_path) == []

    def test_a_linked_file(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "real" / "a.py").write_text(DISCARDED)
        (tmp_path / "link.py").symlink_to("real/a.py")
        assert lint("--fix", "link.py", cwd=tmp_path).code == 0
        assert (tmp_path / "link.py").is_symlink()
        assert (tmp_path / "real" / "a.py").read_text() == FIXED

    @pytest.mark.parametrize("option", ["--fix", "--diff"])
    def test_a_link_out_of_the_folder(self, tmp_path: Path, option: str) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        (tmp_path / "outside.py").write_text(DISCARDED)
        (folder / "link.py").symlink_to("../outside.py")
        result = lint(option, "folder", cwd=tmp_path)
        assert result.code == 2
        assert result.err.startswith("folder/link.py: error: cannot be fixed: leads out of the ")
        assert "TDL001 [*] " in result.out
        assert (tmp_path / "outside.py").read_text() == DISCARDED
        assert lint("folder", cwd=tmp_path).err == ""
        assert lint("--fix", "folder/link.py", cwd=tmp_path).code == 0
        assert (tmp_path / "outside.py").read_text() == FIXED

    def test_a_file_and_links_to_it(self, tmp_path: Path) -> None:
        _fill(tmp_path, 20)
        for number in range(20):
            (tmp_path / f"l{number}.py").symlink_to(f"m{number:03}.py")
        result = lint("--fix", "--jobs", "4", cwd=tmp_path)
        assert (result.code, result.err) == (0, "")
        assert _assert_whole(tmp_path) == 40


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "torchdev_lint", "--fix", *arguments, "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _fill(folder: Path, count: int = 60) -> None:
    for number in range(count):
        (folder / f"m{number:03}.py").write_text(DISCARDED)


def _assert_whole(folder: Path) -> int:
    """Check that each file is as it was or as it is to be; return how many are fixed."""
    texts = [path.read_text() for path in folder.glob("*.py")]
    assert set(texts) <= {DISCARDED, FIXED}
    return texts.count(FIXED)


def test_two_runs_at_once(tmp_path: Path) -> None:
    _fill(tmp_path)
    runs = [_start(tmp_path, "--jobs", "1") for _ in range(2)]
    outputs = [run.communicate(timeout=120) for run in runs]
    for run, (_, errors) in zip(runs, outputs, strict=True):
        assert run.returncode in {0, 2}
        assert all("has changed since it was read" in line for line in errors.splitlines())
    assert _assert_whole(tmp_path) == 60
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_at_any_moment(tmp_path: Path, number: signal.Signals) -> None:
    chance = random.Random(0)
    _fill(tmp_path)
    fixed = 0
    for _ in range(4):
        run = _start(tmp_path, "--jobs", "1")
        while run.poll() is None and _assert_whole(tmp_path) == fixed:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.02)
        run.send_signal(number)
        run.communicate(timeout=60)
        fixed = _assert_whole(tmp_path)
        if number is not signal.SIGKILL:
            assert leftovers(tmp_path) == []
    for path in leftovers(tmp_path):
        assert path.name.startswith(".m")
    assert lint("--fix", cwd=tmp_path).code == 0
    assert _assert_whole(tmp_path) == 60
