"""Runs that can't be meant are done, and a warning says what is odd about them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command import DISCARDED
from torchdev_lint.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.py").write_text(DISCARDED)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "warning"),
    [
        (["empty"], 0, "there are no Python files to lint in empty"),
        (["--ignore", "ALL", "a.py"], 0, "no rule is on, so nothing can be found"),
        (
            ["--select", "TDL001", "--ignore", "TDL", "--extend-ignore", "TDL001", "a.py"],
            0,
            "no rule",
        ),
        (["--stdin-filename", "b.py", "a.py"], 1, "--stdin-filename says nothing without `-`"),
        (["--cache-dir", "a.py", "a.py"], 1, "results can't be kept in a.py"),
        (["--cache-dir", "a.py/below", "a.py"], 1, "results can't be kept in a.py/below"),
    ],
)
def test_it_is_said(
    arguments: list[str], code: int, warning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"torchdev-lint: warning: {warning}")
    assert main([*arguments, "--quiet"]) == code
    assert capsys.readouterr().err == ""


def test_nothing_is_said_of_other_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["a.py"]) == 1
    assert capsys.readouterr().err == ""
    assert main(["--cache-dir", "new/folder", "a.py"]) == 1
    assert main(["--cache-dir", "a.py", "--no-cache", "a.py"]) == 1
    assert capsys.readouterr().err == ""
    assert main(["missing.py"]) == 2
    assert capsys.readouterr().err == "missing.py: error: no such file or folder\n"


def test_a_subcommand_that_is_mistyped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["whi", "a.py"]) == 2
    assert capsys.readouterr().err.startswith(
        "whi: error: no such file or folder; did you mean `why`?\n"
    )


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python takes it")
def test_syntax_that_only_a_newer_python_has(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.py").write_text("import torch\n\ntype X = int\n")
    assert main(["a.py"]) == 2
    assert "; a `type` statement needs Python 3.12, and" in capsys.readouterr().err
