"""The plugin inside a real flake8."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED, FIXTURES, flake8, lint
from torchdev_lint import flake8_plugin, linter
from torchdev_lint.flake8_plugin import Checker, OptInChecker

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file that has a finding and one that has none."""
    (tmp_path / "bad.py").write_text(DISCARDED)
    (tmp_path / "good.py").write_text(CLEAN)
    return tmp_path


def test_it_is_on_by_default(folder: Path) -> None:
    result = flake8("--isolated", ".", cwd=folder)
    assert result.code == 1
    assert result.out.startswith("./bad.py:4:1: TDL001 ")
    assert result.out.count("\n") == 1


def test_it_is_listed(folder: Path) -> None:
    assert "torchdev-lint:" in flake8("--version", cwd=folder).out


@pytest.mark.parametrize(
    ("option", "count"),
    [
        ("--select=TDL", 1),
        ("--select=TDL001", 1),
        ("--select=TDL002", 0),
        ("--select=E", 0),
        ("--ignore=TDL", 0),
        ("--ignore=E501", 1),
        ("--extend-ignore=TDL001", 0),
        ("--per-file-ignores=bad.py:TDL001", 0),
        ("--per-file-ignores=good.py:TDL", 1),
        ("--enable-extensions=TDL9", 1),
        ("--jobs=2", 1),
        ("--jobs=1", 1),
    ],
)
def test_options(folder: Path, option: str, count: int) -> None:
    result = flake8("--isolated", option, cwd=folder)
    assert result.out.count("TDL001") == count
    assert result.code == (count > 0)
    assert result.err == ""


def test_a_configuration_file(folder: Path) -> None:
    (folder / ".flake8").write_text("[flake8]\nper-file-ignores =\n    bad.py: TDL001\n")
    assert flake8(cwd=folder).code == 0


def test_noqa(folder: Path) -> None:
    (folder / "bad.py").write_text(DISCARDED.replace('to("cuda")', 'to("cuda")  # noqa: TDL001'))
    assert flake8("--isolated", cwd=folder).code == 0
    assert flake8("--isolated", "--disable-noqa", cwd=folder).out.count("TDL001") == 1


def test_noqa_on_another_line_of_the_statement(folder: Path) -> None:
    (folder / "bad.py").write_text(
        DISCARDED.replace('to("cuda")', 'to(\n    "cuda"\n)  # noqa: TDL001')
    )
    assert flake8("--isolated", cwd=folder).code == 0
    assert flake8("--isolated", "--disable-noqa", cwd=folder).out.startswith("./bad.py:4:1: TDL001")


def test_standard_input(tmp_path: Path) -> None:
    result = flake8("--isolated", "-", cwd=tmp_path, stdin=DISCARDED.encode())
    assert result.out.startswith("stdin:4:1: TDL001 ")
    named = flake8(
        "--isolated", "--stdin-display-name=bad.py", "-", cwd=tmp_path, stdin=DISCARDED.encode()
    )
    assert named.out.startswith("bad.py:4:1: TDL001 ")


def test_it_finds_what_the_command_finds() -> None:
    """In some of the fixtures: what is found in a file is the same code in both."""
    files = [path.relative_to(FIXTURES) for path in sorted(FIXTURES.rglob("*.py"))][::16]
    shown = lint("--jobs=1", "--quiet", *files, cwd=FIXTURES).out.splitlines()
    # flake8 has no severities
    ours = [line.replace(" [*]", "").replace(" warning: ", " ") for line in shown]
    theirs = flake8("--isolated", "--select=TDL", *files, cwd=FIXTURES).out.splitlines()
    assert sorted(theirs) == sorted(ours)
    assert ours


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# import torch\n",
        b"\xef\xbb\xbf" + DISCARDED.encode(),
        b"# coding: latin-1\nimport torch\nx = torch.ones(3)  # \xe4\nx.cuda()\n",
        DISCARDED.replace("\n", "\r\n").encode(),
        DISCARDED.replace("\n", "\n\f\n").encode(),
        b"import torch\nx = torch.ones(3)\nif x:\n\tx.cuda()\n",
        pytest.param(
            b"import torch\n\0\n",
            marks=pytest.mark.skipif(
                sys.version_info < (3, 11, 4), reason="flake8 itself fails there"
            ),
        ),
        b"import torch\nx = '\xff'\n",
        b"import torch\nx = = 1\n",
        b"import torch\nprint 'x'\n",
        b"# coding: nonsense\nimport torch\n",
        b"import torch\nx = " + b"(" * 1000 + b")" * 1000,
        b"import torch\nx = '''\n",
    ],
)
def test_bad_files_do_not_crash_flake8(folder: Path, data: bytes) -> None:
    (folder / "broken.py").write_bytes(data)
    result = flake8("--isolated", "--select=TDL,E9", "--jobs=1", cwd=folder)
    assert "Traceback" not in result.err
    assert "plugin code" not in result.out + result.err
    assert "./bad.py:4:1: TDL001" in result.out


def test_columns_count_characters(tmp_path: Path) -> None:
    text = 'import torch\nx = torch.ones(3)\nprint("größe 日本"); x.cuda()\n'
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    assert flake8("--isolated", "--select=TDL", cwd=tmp_path).out.startswith("./a.py:3:20: TDL001")


def test_an_internal_error_is_a_line_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(linter, "lint", fail)
    checker = Checker(ast.parse(DISCARDED), DISCARDED.splitlines(keepends=True), "bad.py")
    assert list(checker.run()) == []
    assert capsys.readouterr().err == (
        "torchdev-lint: bad.py skipped: internal error: RecursionError: too deep\n"
    )


def test_the_analysis_is_not_imported_where_no_file_mentions_torch(folder: Path) -> None:
    (folder / "bad.py").unlink()
    (folder / "good.py").write_text("print('hello')\n")
    program = (
        "import sys; from flake8.main.cli import main; main(['--isolated', '--jobs=1', '.']);"
        "print([m for m in sys.modules if m.startswith('torchdev_lint.')])"
    )
    (folder / "runner").write_text(program)
    done = subprocess.run(
        [sys.executable, "runner"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert "torchdev_lint.flake8_plugin" in done.stdout
    assert "torchdev_lint.placement" not in done.stdout


def test_opt_in_rules_have_an_entry_point_of_their_own() -> None:
    assert not getattr(Checker, "off_by_default", False)
    assert OptInChecker.off_by_default
    lines = DISCARDED.splitlines(keepends=True)
    assert list(OptInChecker(ast.parse(DISCARDED), lines).run()) == []
    assert flake8_plugin.Checker.version
