"""Files with names and texts that would command a terminal or a CI service: shown, not obeyed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_terminal import on_a_terminal
from tests.command import DISCARDED, flake8, lint

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no such names"),
]

NAMES = [
    "a\x1b[2J\x1b]0;title\x07.py",
    "b\n::error file=x.py::forged\n.py",
    "c.py:1:1: TDL001 forged\nd.py",
    "\u202eyp.e.py",
    "f\x9b31m.py",
    "::error file=y.py::forged.py",
    "##vso[task.complete result=Failed]g.py",
]
BROKEN = "import torch\nx = = 1\n"
LINE = re.compile(r"[^\n]+?\.py:\d+(:\d+)?: (error: |TDL001 |warning: )[^\n]+")
MINE = re.compile(r"\r\x1b\[K(\d+/\d+ files)?|\x1b\[[0-9;]*m")
"""What the linter itself tells a terminal: colours, and how far it is if that takes a second."""


def assert_harmless(text: str) -> None:
    """Check that a text holds nothing but lines of the linter's own making."""
    text = MINE.sub("", text)
    assert all(c.isprintable() or c in "\n\t" for c in text), repr(text)
    assert not re.search(r"(?m)^\s*::", text)
    assert not re.search(r"##\w*\[", text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_text(DISCARDED)
        (tmp_path / f"no {name}").write_text(BROKEN)
    (tmp_path / "::no.py").write_text(BROKEN)
    return tmp_path


def test_names_in_findings_and_problems(folder: Path) -> None:
    result = lint(".", cwd=folder)
    assert result.code == 2
    assert_harmless(result.out)
    assert_harmless(result.err)
    *findings, _, _ = result.out.splitlines()
    problems = result.err.splitlines()
    assert (len(findings), len(problems)) == (len(NAMES), len(NAMES) + 1)
    for line in findings + problems:
        assert LINE.fullmatch(line)


@pytest.mark.parametrize(
    "arguments",
    [["."], ["--diff", "."], ["--fix", "--show-fixes", "."], ["no\n::error::way.py"]],
)
def test_on_a_terminal(folder: Path, arguments: list[str]) -> None:
    assert_harmless(on_a_terminal(*arguments, cwd=folder))


def test_source_text_on_a_terminal(tmp_path: Path) -> None:
    text = DISCARDED.replace("images.to", "'\x1b[2J\x9b1m\u202e\x07' and images.to")
    (tmp_path / "a.py").write_text(text.replace(" and", ";"))
    for arguments in (["a.py"], ["--diff", "a.py"]):
        shown = on_a_terminal(*arguments, cwd=tmp_path)
        assert_harmless(shown)
        assert "'\\x1b[2J\\x9b1m\\u202e\\x07'" in shown


def test_the_underline_is_below_its_place_behind_what_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nx = torch.ones(3)\n'\x1b'; x.cuda()\n")
    _, _, source, line, *_ = MINE.sub("", on_a_terminal("a.py", cwd=tmp_path)).splitlines()
    start = line.index("^")
    assert source[start : start + line.count("^")] == "x.cuda()"


def test_the_name_of_standard_input(tmp_path: Path) -> None:
    for text in (DISCARDED, BROKEN):
        result = lint("-", "--stdin-filename", NAMES[1], cwd=tmp_path, stdin=text.encode())
        assert_harmless(result.out)
        assert_harmless(result.err)
        first = (result.err or result.out).splitlines()[0]
        assert first.startswith("b\\n::error file=x.py::forged\\n.py:")


@pytest.mark.parametrize("argument", [f"--{NAMES[1]}", "--jobs=\x1b[2J", "--select=\x1b[2J"])
def test_arguments_that_are_wrong(tmp_path: Path, argument: str) -> None:
    result = lint(argument, cwd=tmp_path)
    assert result.code == 2
    assert_harmless(result.err)


def test_names_are_whole_in_json(folder: Path) -> None:
    found = json.loads(lint("--output-format", "json", ".", cwd=folder).out)
    names = {os.path.relpath(each["filename"], folder): each["code"] for each in found}
    assert {name for name, code in names.items() if code == "TDL001"} == set(NAMES)
    assert {f"no {name}" for name in NAMES} < set(names)


def test_a_patch_in_a_pipe_can_be_applied(folder: Path) -> None:
    (folder / "a.py").write_text(DISCARDED.replace("8", "'\x1b[2J\x9b'"))
    patch = lint("--diff", ".", cwd=folder).out
    subprocess.run(["git", "apply", "-p1"], cwd=folder, input=patch, text=True, check=True)
    for path in folder.glob("*.py"):
        assert ("images = images.to" in path.read_text()) == ("no" not in path.name)


def test_messages_in_flake8(tmp_path: Path) -> None:
    text = "import torch\nd = {}\nd['\x1b[2J'] = torch.ones(3)\nd['\x1b[2J'].cuda()\n"
    (tmp_path / "a.py").write_text(text)
    out = flake8("--isolated", "--select=TDL", "a.py", cwd=tmp_path).out
    assert out.count("TDL001") == 1
    assert_harmless(out)
