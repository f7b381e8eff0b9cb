"""`--since`: what is about lines that changed in git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import DISCARDED, found, write

START = """\
import torch

images = torch.randn(8, 3)
images.to("cuda")
labels = torch.randn(8)
print(images, labels)
"""
"""A program with one finding, in line 4."""

MEETS = """\
import torch

images = torch.randn(8, 3)
weights = torch.ones(3, device="cuda")
print(images.sum())
"""

Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository in the folder of the test, and git run in it."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Somebody")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "somebody@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def run(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)

    run("init", "-b", "main")
    return run


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit."""
    write(tmp_path, {"a.py": START, "meets.py": MEETS, "pkg/b.py": DISCARDED})
    git("add", ".")
    git("commit", "-m", "start")
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="the program is a script")
def test_what_a_repository_has_git_run_is_not_run(repository: Path, git: Git, lint: Lint) -> None:
    write(repository, {".git/monitor": "#!/bin/sh\ntouch ran\n"})
    (repository / ".git/monitor").chmod(0o755)
    git("config", "core.fsmonitor", str(repository / ".git/monitor"))
    assert lint("--since", "HEAD").code == 0
    assert not (repository / "ran").exists()


def test_nothing_has_changed(repository: Path, lint: Lint) -> None:
    result = lint("--since", "HEAD")
    assert (result.code, result.out, result.err) == (0, "No findings (0 files checked).\n", "")


def test_changed_lines_count_whether_they_are_committed_or_not(
    repository: Path, lint: Lint, git: Git
) -> None:
    write(repository, {"a.py": START.replace("print", 'labels.to("cuda")\nprint')})
    for command in ((), ("add", "."), ("commit", "-m", "more")):
        if command:
            git(*command)
        result = lint("--since", "main~1" if command[:1] == ("commit",) else "main")
        assert (result.code, result.err) == (1, "")
        assert [line.split()[0] for line in result.out.splitlines() if "TDL" in line] == [
            "a.py:6:1:"
        ]


def test_a_finding_counts_where_what_it_meets_has_changed(repository: Path, lint: Lint) -> None:
    write(repository, {"meets.py": MEETS.replace("images.sum()", "images @ weights")})
    result = lint("--since", "HEAD")
    assert result.out.startswith("meets.py:3:10: ")


def test_files_that_git_does_not_know_are_new(repository: Path, lint: Lint) -> None:
    write(repository, {"new.py": START, "ignored.py": START, ".gitignore": "ignored.py"})
    assert found(lint("--since", "HEAD")) == ["new.py"]


def test_a_file_that_was_moved_is_not_new(repository: Path, lint: Lint, git: Git) -> None:
    git("mv", "a.py", "moved.py")
    assert found(lint("--since", "HEAD")) == []


def test_what_others_did_meanwhile_does_not_count(repository: Path, lint: Lint, git: Git) -> None:
    """The branch is what is asked about: main may have mended what the branch still has."""
    git("checkout", "-b", "mine")
    git("checkout", "main")
    write(repository, {"a.py": START.replace('images.to("cuda")\n', "")})
    git("commit", "-am", "mended")
    git("checkout", "mine")
    assert found(lint("--since", "main")) == []


@pytest.mark.parametrize("name", ["ä b.py", 'quo"te.py', "tab\tbed.py", "back\\slash.py"])
def test_names_that_git_quotes(repository: Path, lint: Lint, git: Git, name: str) -> None:
    write(repository, {name: "import torch\n"})
    git("add", ".")
    git("commit", "-m", "a name")
    write(repository, {name: START})
    assert lint("--since", "HEAD", "--output-format", "json").out.count('"TDL001"') == 1


def test_lines_that_look_like_a_patch(repository: Path, lint: Lint) -> None:
    text = '"""\n++ b/a.py\n@@ -1 +4 @@\n-- a/a.py\n"""\n'
    write(repository, {"pkg/b.py": text + DISCARDED})
    assert found(lint("--since", "HEAD")) == []
    write(repository, {"pkg/b.py": text + DISCARDED.replace("images", "pictures")})
    assert found(lint("--since", "HEAD")) == ["pkg/b.py"]


def test_settings_of_git_change_nothing(repository: Path, lint: Lint, git: Git) -> None:
    for name, value in (
        *(("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("color.ui", "always")),
        *(("diff.external", "false"), ("diff.relative", "true"), ("diff.context", "9")),
    ):
        git("config", name, value)
    write(repository, {"a.py": START.replace("print", 'labels.to("cuda")\nprint')})
    assert lint("--since", "HEAD").out.startswith("a.py:6:1: ")


def test_from_a_folder_below(repository: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repository, {"a.py": START + DISCARDED, "pkg/b.py": DISCARDED + DISCARDED})
    monkeypatch.chdir(repository / "pkg")
    assert found(lint("--since", "HEAD")) == ["b.py"]
    assert found(lint("--since", "HEAD", "..")) == ["../a.py", "../pkg/b.py"]


def test_only_changed_lines_are_fixed(repository: Path, lint: Lint) -> None:
    text = START.replace("print", 'labels.to("cuda")\nprint')
    write(repository, {"a.py": text})
    result = lint("--since", "HEAD", "--fix")
    assert (result.code, result.out) == (0, "Found 1 finding (1 fixed, 0 remaining).\n")
    assert (repository / "a.py").read_text() == text.replace("labels.to", "labels = labels.to")


def test_with_a_baseline(repository: Path, lint: Lint) -> None:
    text = START.replace("print", 'labels.to("cuda")\nprint')
    write(repository, {"a.py": text})
    lint("--write-baseline", "base.json")
    write(repository, {"a.py": text + 'labels.to("cuda")\n'})
    result = lint("--since", "HEAD", "--baseline", "base.json")
    assert [line[:9] for line in result.out.splitlines() if "TDL" in line] == ["a.py:8:1:"]


class TestErrors:
    def test_no_repository(self, tmp_path: Path, lint: Lint) -> None:
        result = lint("--since", "HEAD")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert "--since: git says: not a git repository" in result.err

    @pytest.mark.parametrize("revision", ["nowhere", "--help", "", "HEAD:a.py"])
    def test_no_revision(self, repository: Path, lint: Lint, revision: str) -> None:
        result = lint(f"--since={revision}")
        assert (result.code, result.out) == (2, "")
        assert result.err == f"torchdev-lint: error: --since: git knows no revision {revision}\n"

    def test_no_commit(self, git: Git, lint: Lint) -> None:
        assert lint("--since", "HEAD").err.endswith("git knows no revision HEAD\n")

    def test_no_git(self, repository: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(repository))
        result = lint("--since", "HEAD")
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            "torchdev-lint: error: --since: git can't be run: No such file or directory\n"
        )

    def test_standard_input(self, repository: Path, lint: Lint) -> None:
        result = lint("--since", "HEAD", "-")
        assert (result.code, result.out) == (2, "")
        assert "--since does not go with -" in result.err
