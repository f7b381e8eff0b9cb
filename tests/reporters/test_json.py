"""JSON and JSON lines: Ruff's shape, problems in it, absolute names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.reporters.conftest import Run

ADDED = {"related", "scope"}
"""Our own keys, beside Ruff's."""


def elements(run: Run, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("--output-format", "json", *arguments).out)
    return found


def shape(value: object) -> object:
    """The names and types of which a value of JSON consists."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value[:1]]
    return type(value).__name__


@pytest.mark.parametrize("kind", ["fixable", "broken", "missing"])
def test_the_shape_is_ruffs(run: Run, folder: Path, kind: str) -> None:
    """Asked of the Ruff that is installed, so that a change of its shape shows."""
    (folder / "unused.py").write_text("import os\n")
    theirs = {"fixable": "unused.py", "broken": "broken.py", "missing": "no.py"}[kind]
    ours = {"fixable": "moved.py", "broken": "broken.py", "missing": "no.py"}[kind]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    done = subprocess.run(
        [*command, "--output-format=json", theirs], cwd=folder, capture_output=True, check=False
    )
    expected, found = json.loads(done.stdout)[0], elements(run, ours)[0]
    assert {key for key in found if key not in ADDED} == set(expected)
    both = [{k: shape(v) for k, v in each.items() if k != "url"} for each in (expected, found)]
    assert {k: v for k, v in both[1].items() if k not in ADDED} == both[0]
    if kind == "broken":
        assert (found["code"], found["name"]) == (expected["code"], expected["name"])
        assert found["location"] == expected["location"]
    if kind == "missing":
        assert (found["code"], found["noqa_row"]) == (expected["code"], None)


def test_all_that_goes_wrong_is_in_it(run: Run, folder: Path) -> None:
    result = run("--output-format", "json", ".", "no.py")
    found = json.loads(result.out)
    assert result.code == 2
    assert [(Path(each["filename"]).name, each["code"], each["severity"]) for each in found] == [
        ("no.py", "E902", "error"),
        ("broken.py", "invalid-syntax", "error"),
        ("moved.py", "TDL001", "error"),
        ("moved.py", "TDL001", "error"),
        ("net.py", "TDL002", "warning"),
    ]
    assert {Path(each["filename"]).parent for each in found} == {folder}
    assert len(result.err.splitlines()) == 2


def test_a_place_in_another_file_has_its_name(run: Run, folder: Path) -> None:
    (folder / "maker.py").write_text("import torch\n\nSCALE = torch.ones(4)\n")
    (folder / "net.py").write_text(
        "from torch import nn\nfrom maker import SCALE\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return x.relu() + SCALE\n"
    )
    (found,) = elements(run, "net.py")
    assert str(folder / "maker.py") in {place["filename"] for place in found["related"]}


def test_lines_are_the_elements(run: Run) -> None:
    lines = run("--output-format", "jsonl", ".").out.splitlines()
    assert [json.loads(line) for line in lines] == elements(run, ".")
    assert run("--output-format", "json-lines", ".").out.splitlines() == lines


@pytest.mark.parametrize(("name", "out"), [("json", "[]\n"), ("jsonl", "")])
def test_nothing_found(run: Run, name: str, out: str) -> None:
    result = run("--output-format", name, "clean.py")
    assert (result.code, result.out, result.err) == (0, out, "")
