"""Which files a run looks at."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.command import DISCARDED, lint
from torchdev_lint.source import discovery
from torchdev_lint.source.discovery import discover

from .random_trees import compare


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(*paths: str) -> None:
    for path in paths:
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(DISCARDED)


def found(*paths: str) -> list[str]:
    targets, problems = discover(paths or ["."])
    assert problems == []
    return [target.path.replace(os.sep, "/") for target in targets]


def test_python_files_in_a_stable_order() -> None:
    make("b.py", "a/z.py", "a.py", "a/b/c.py", "data.txt", "stub.pyi", "note.ipynb", "c.pyw")
    assert found() == ["a/b/c.py", "a/z.py", "a.py", "b.py", "note.ipynb"]


def test_a_named_file_is_always_taken() -> None:
    make("script", "stub.pyi", ".venv/lib/a.py", "build/b.py")
    Path(".gitignore").write_text("*\n")
    named = ["script", "stub.pyi", ".venv/lib/a.py", "build/b.py"]
    assert found(*named) == named
    assert found() == []


def test_folders_that_hold_no_code_of_the_project() -> None:
    make("a.py", *(f"{name}/x.py" for name in discovery.EXCLUDED_FOLDERS))
    make("sub/node_modules/deep/x.py", "sub/a.py", "my_env/lib/x.py")
    Path("my_env/pyvenv.cfg").touch()
    assert found() == ["a.py", "sub/a.py"]
    assert found("build") == ["build/x.py"]
    assert found("my_env") == ["my_env/lib/x.py"]


def test_names_that_only_look_like_files() -> None:
    make("pkg.py/a.py")
    os.symlink("nobody@host", ".#a.py")
    os.mkfifo("pipe.py")
    assert found() == ["pkg.py/a.py"]


class TestGitIgnore:
    def test_patterns(self) -> None:
        make(
            "a.py",
            "out/b.py",
            "deep/out/c.py",
            "gen_x.py",
            "deep/gen_y.py",
            "top.py",
            "deep/top.py",
        )
        Path(".gitignore").write_text("# generated\nout/\ngen_*.py\n/top.py\n\n")
        assert found() == ["a.py", "deep/top.py"]

    def test_nested_files_add_to_it_and_take_back(self) -> None:
        make("a/x.py", "a/y.py", "b/x.py", "b/y.py", "a/deep/x.py")
        Path(".gitignore").write_text("x.py\n")
        Path("a/.gitignore").write_text("!x.py\n/y.py\n")
        assert found() == ["a/deep/x.py", "a/x.py", "b/y.py"]

    def test_those_above_count_within_a_repository(self) -> None:
        make("pkg/sub/a.py", "pkg/sub/gen.py", "pkg/sub/x.py")
        Path(".gitignore").write_text("gen.py\n")
        Path("pkg/.gitignore").write_text("sub/x.py\n")
        assert found("pkg/sub") == ["pkg/sub/a.py", "pkg/sub/gen.py", "pkg/sub/x.py"]
        os.mkdir(".git")
        assert found("pkg/sub") == ["pkg/sub/a.py"]

    def test_a_named_folder_is_linted_though_it_is_ignored(self) -> None:
        make("out/a.py", "out/b/c.py")
        os.mkdir(".git")
        Path(".gitignore").write_text("out/\n")
        assert found() == []
        assert found("out") == ["out/a.py", "out/b/c.py"]
        assert found("out/b") == ["out/b/c.py"]

    @pytest.mark.parametrize("line", ["!", "/", "a[", "\\", "[z-a].py", "[[x].py"])
    def test_a_senseless_pattern_is_skipped(self, line: str) -> None:
        make("a.py", "b.py")
        Path(".gitignore").write_text(f"{line}\nb.py\n")
        assert found() == ["a.py"]

    def test_bytes_that_are_no_utf8(self) -> None:
        make("a.py", "b.py")
        Path(".gitignore").write_bytes(b"\xef\xbb\xbf\xff\xfe\r\nb.py\r\n")
        assert found() == ["a.py"]

    def test_it_agrees_with_git(self) -> None:
        make(*(f"{a}/{b}/{c}.py" for a in ("src", "lib") for b in ("x", "y") for c in ("m", "n")))
        make("m.py", "lib/m.py", "src/keep/m.py")
        Path(".gitignore").write_text("m.py\n!/m.py\nsrc/*\n!src/keep\n**/y/\n")
        Path("lib/.gitignore").write_text("!m.py\nx/n.py\n")
        subprocess.run(["git", "init", "-q"], check=True)
        listed = subprocess.run(
            ["git", "ls-files", "-o", "--exclude-standard", "*.py"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert sorted(found()) == sorted(listed.stdout.split())

    @pytest.mark.parametrize(
        ("pattern", "ignored"),
        [
            ("[[:alpha:]].py", ["a.py", "sub/x.py", "sub/xy/z.py"]),
            ("[]a].py", ["].py", "a.py"]),
            ("sub/x**", ["sub/x.py", "sub/xy/z.py"]),
            ("sub/x**/z.py", ["sub/xy/z.py"]),
            ("a.py\t", []),
            ("a.py  ", ["a.py"]),
            ("a.py\\ ", []),
        ],
    )
    def test_patterns_are_read_as_git_reads_them(self, pattern: str, ignored: list[str]) -> None:
        files = ["].py", "a.py", "sub/x.py", "sub/xy/z.py"]
        make(*files)
        Path(".gitignore").write_text(f"{pattern}\n")
        assert found() == [file for file in files if file not in ignored]

    def test_what_a_clone_and_a_user_ignore(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make("a.py", "mine.py", "theirs.py", "both.py", "sub/mine.py")
        subprocess.run(["git", "init", "-q"], check=True)
        Path(".git/info").mkdir(exist_ok=True)
        Path(".git/info/exclude").write_text("/mine.py\n!both.py\n")
        (tmp_path / "patterns").write_text("theirs.py\nboth.py\n")
        (tmp_path / "config").write_text(f"[core]\nexcludesFile = {tmp_path / 'patterns'}\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
        assert found() == ["a.py", "both.py", "sub/mine.py"]
        monkeypatch.chdir("sub")
        assert found("..") == ["../a.py", "../both.py", "../sub/mine.py"]
        monkeypatch.chdir("..")
        assert len(discover(["."], respect_gitignore=False)[0]) == 5

    def test_without_git_what_a_clone_ignores_is_known(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        make("a.py", "mine.py", "theirs.py")
        (tmp_path / "git").mkdir()
        (tmp_path / "git" / "ignore").write_text("theirs.py")
        Path(".git/info").mkdir(parents=True)
        Path(".git/info/exclude").write_text("/mine.py\n")
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        assert found() == ["a.py"]

    def test_what_other_tools_ignore(self) -> None:
        """An `.ignore` counts for more than what git reads, wherever that lies."""
        make("a.py", "b.py", "sub/a.py", "sub/c.py", "sub/d.py")
        Path(".ignore").write_text("b.py\n!a.py\n")
        Path("sub/.gitignore").write_text("a.py\nc.py\n")
        Path("sub/.ignore").write_text("d.py\n")
        assert found() == ["a.py", "sub/a.py"]

    @pytest.mark.slow
    def test_random_trees(self) -> None:
        """`python -m tests.source.random_trees` compares as many as one likes."""
        for number in range(60):
            result = compare(random.Random(number))
            assert not result.differing, result.patterns

    @pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "/**/a" * 60 + "/b", "**" * 60 + "b"])
    def test_no_pattern_takes_long(self, pattern: str) -> None:
        folder = "/".join(["a"] * 100)
        make(f"{folder}/{'a' * 200}.py")
        Path(".gitignore").write_text(pattern)
        began = time.process_time()
        assert found() == [f"{folder}/{'a' * 200}.py"]
        assert time.process_time() - began < 2

    def test_one_that_is_no_file(self, tmp_path: Path) -> None:
        make("a.py", "b.py", "sub/a.py", "sub/b.py")
        Path("patterns").write_text("b.py\n")
        os.symlink("../patterns", "sub/.gitignore")  # git doesn't follow it
        os.mkfifo(".gitignore")
        result = lint(cwd=tmp_path)
        assert result.code == 2
        assert result.err == ".gitignore: error: is not a regular file\n"
        assert [line.split(":")[0] for line in result.out.splitlines()[:4]] == [
            "a.py",
            "b.py",
            "sub/a.py",
            "sub/b.py",
        ]

    def test_one_that_is_a_folder(self, tmp_path: Path) -> None:
        """Git goes on as if there were none."""
        make("a.py", ".gitignore/b.py")
        assert found() == [".gitignore/b.py", "a.py"]
        result = lint(cwd=tmp_path)
        assert (result.code, result.err) == (1, "")

    def test_one_that_is_endless(self, tmp_path: Path) -> None:
        make("a.py", "b.py")
        Path(".gitignore").write_text("b.py\n" + "# x\n" * 300_000)
        result = lint(cwd=tmp_path)
        assert (result.code, result.err) == (2, ".gitignore: error: is larger than 1 MB\n")


class TestOnlyRegularFiles:
    def test_a_pipe_or_device_that_is_named(self, tmp_path: Path) -> None:
        make("a.py")
        os.mkfifo("pipe.py")
        os.symlink("/dev/zero", "zero.py")
        result = lint("pipe.py", "zero.py", "a.py", cwd=tmp_path)
        assert result.code == 2
        assert result.err == (
            "pipe.py: error: is not a regular file\nzero.py: error: is not a regular file\n"
        )
        assert result.out.startswith("a.py:4:1: TDL001")

    def test_large_files(self, tmp_path: Path) -> None:
        make("a.py")
        text = "x = 1\n" * 2_000_000
        Path("data.py").write_text(text)
        Path("large.py").write_text("import torch\n" + text)
        result = lint(cwd=tmp_path)
        assert (result.code, result.err) == (2, "large.py: error: is larger than 10 MB\n")
        assert result.out.startswith("a.py:4:1: TDL001")
        assert lint("data.py", cwd=tmp_path).err == "data.py: error: is larger than 10 MB\n"


class TestLinks:
    def test_one_file_is_linted_once(self) -> None:
        make("b.py", "sub/c.py")
        os.symlink("b.py", "a.py")
        os.symlink("../b.py", "sub/d.py")
        os.symlink("sub", "alias")
        assert found() == ["b.py", "sub/c.py"]
        assert found(".", "alias", "b.py") == ["b.py", "sub/c.py"]
        assert found("sub", ".") == ["sub/c.py", "b.py"]
        assert found(".", "a.py") == ["a.py", "sub/c.py"]

    def test_links_to_folders_are_not_followed(self) -> None:
        make("real/a.py")
        os.symlink("real", "alias")
        os.symlink("..", "real/loop")
        assert found() == ["real/a.py"]
        assert found("alias") == ["alias/a.py"]

    def test_a_broken_link_is_a_line(self, tmp_path: Path) -> None:
        make("a.py")
        os.symlink("nowhere.py", "broken.py")
        os.symlink("loop.py", "loop.py")
        result = lint(cwd=tmp_path)
        assert result.code == 2
        assert result.out.startswith("a.py:4:1: TDL001")
        broken, loop = result.err.splitlines()
        assert broken == "broken.py: error: cannot be read: No such file or directory"
        assert loop.startswith("loop.py: error: cannot be read: ")

    def test_a_broken_link_that_is_named(self, tmp_path: Path) -> None:
        os.symlink("nowhere.py", "broken.py")
        assert lint("broken.py", cwd=tmp_path).err == "broken.py: error: broken symbolic link\n"


def test_a_folder_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    # root may read everything, so that the refusal has to be played
    make("a.py", "locked/b.py", "z.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) == "locked":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    targets, problems = discover(["."])
    assert [target.path for target in targets] == ["a.py", "z.py"]
    assert list(map(str, problems)) == ["locked: error: cannot be read: Permission denied"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    make("a.py", "locked.py")
    os.chmod("locked.py", 0)
    result = lint(cwd=tmp_path)
    assert result.code == 2
    assert result.err == "locked.py: error: cannot be read: Permission denied\n"
    assert result.out.startswith("a.py:4:1:")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    try:
        Path(name).write_text(DISCARDED)
    except OSError:
        pytest.skip("this file system refuses such names")
    result = lint(cwd=tmp_path)
    assert (result.code, result.err) == (1, "")
    assert result.out.startswith("caf\\udce9.py:4:1: TDL001")
