"""What is known is told again, without finding it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cache.projects import HERE, MAIN, entries, finds_out, forge, project_in, run
from tests.command import CLEAN, DISCARDED, flake8

FILES = {
    "main.py": MAIN,
    "helper.py": DISCARDED,
    "clean.py": CLEAN,
    "plain.py": "print('nothing')\n",
    "wrong.py": "import torch\n(\n",
}


@pytest.mark.parametrize(
    "arguments",
    [
        ["."],
        ["main.py", "clean.py"],
        ["--output-format", "json", "."],
        ["--output-format", "json", "--unsafe-fixes", "."],
        ["--show-skipped", "-q", "."],
        ["--select", "TDL002", "."],
        ["--fix", "clean.py", "plain.py"],
        ["--diff", "clean.py", "wrong.py"],
        ["--jobs", "2", "."],
    ],
    ids=" ".join,
)
def test_nothing_is_imported_that_finds_out(tmp_path: Path, arguments: list[str]) -> None:
    project = project_in(tmp_path, FILES)
    expected = run(project, "--no-cache", *arguments)
    assert finds_out(project, *arguments)
    assert not finds_out(project, *arguments)
    assert run(project, *arguments) == expected


def test_a_run_of_all_rules_knows_what_some_find(tmp_path: Path) -> None:
    """Unless there is a fix: whether one holds depends on what else is found."""
    unfixable = "import torch\n\ndef f():\n    g(torch.ones(3))[0].cuda()\n"
    project = project_in(tmp_path, {**FILES, "helper.py": unfixable})
    run(project)
    assert not finds_out(project, "--select", "TDL001,TDL004")
    assert not finds_out(project, "--ignore", "TDL002")
    assert run(project, "--ignore", "TDL002") == run(project, "--no-cache", "--ignore", "TDL002")


def test_a_file_in_a_folder_is_the_same_as_one_that_is_named(tmp_path: Path) -> None:
    project = project_in(tmp_path, FILES)
    run(project)
    assert not finds_out(project, "main.py", "clean.py")


def test_but_one_without_torch_is_parsed_where_it_is_named(tmp_path: Path) -> None:
    project = project_in(tmp_path, {"wrong.py": "(\n"})
    assert run(project, "wrong.py").code == 2
    assert run(project).code == 0
    assert run(project, "wrong.py").code == 2


def test_standard_input_is_known_by_what_it_holds(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    arguments = ("-", "--stdin-filename", "main.py")
    cold = run(project, *arguments, stdin=MAIN.encode())
    assert "main.py:9:20: TDL002" in cold.out
    assert not finds_out(project, *arguments, stdin=MAIN.encode())
    assert run(project, *arguments, stdin=MAIN.encode()) == cold
    assert run(project, *arguments, stdin=b"import torch\n").code == 0
    assert run(project, "main.py").out == cold.out


def test_flake8_keeps_what_it_is_told(tmp_path: Path) -> None:
    project = project_in(tmp_path, FILES)
    cold = flake8("--select", "TDL", ".", cwd=project, env=HERE)
    assert "helper.py:4:1: TDL001" in cold.out
    assert len(entries(project)) == 3
    assert flake8("--select", "TDL", ".", cwd=project, env=HERE) == cold
    for entry in entries(project):
        forge(entry, "the result of", "what comes of")
    forged = flake8("--select", "TDL", ".", cwd=project, env=HERE)
    assert forged.out == cold.out.replace("the result of", "what comes of") != cold.out


def test_flake8_and_comments(tmp_path: Path) -> None:
    silenced = DISCARDED.replace('"cuda")', '"cuda"  # noqa: TDL001\n)')
    project = project_in(tmp_path, {"a.py": silenced, "b.py": DISCARDED})
    for _ in "cold", "warm":
        found = flake8("--select", "TDL", ".", cwd=project, env=HERE).out
        assert ("a.py" in found, "b.py" in found) == (False, True)
        found = flake8("--select", "TDL", "--disable-noqa", ".", cwd=project, env=HERE).out
        assert ("a.py" in found, "b.py" in found) == (True, True)


def test_flake8_on_standard_input(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    arguments = ("--select", "TDL", "--stdin-display-name", "main.py", "-")
    for _ in "cold", "warm":
        found = flake8(*arguments, cwd=project, env=HERE, stdin=MAIN.encode()).out
        assert "main.py:9:20: TDL002" in found
        assert flake8(*arguments, cwd=project, env=HERE, stdin=CLEAN.encode()).out == ""
