"""What was not looked at to its end is said where that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import CLEAN, lint
from torchdev_lint.linter import MAX_CHARACTERS

pytestmark = pytest.mark.slow

_LAYERS = 16
_TOO_MUCH = "import torch\nimport torch.nn as nn\n" + "".join(
    f"""
class Block{i}(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = Block{i - 1}(), Block{i - 1}(), Block{i - 1}()

    def forward(self, x):
        return self.a(x) + self.b(x) + self.c(x) + torch.zeros(3)
"""
    if i
    else "class Block0(nn.Module):\n    pass\n"
    for i in range(_LAYERS)
)
"""Three times as many objects with each class."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "much.py").write_text(_TOO_MUCH)
    (tmp_path / "clean.py").write_text(CLEAN)
    return tmp_path


def test_text_names_file_function_and_reason(folder: Path) -> None:
    lines = lint("--show-skipped", ".", cwd=folder).out.splitlines()
    skipped = [line for line in lines if "not looked at to its end" in line]
    last = _TOO_MUCH.splitlines().index(f"class Block{_LAYERS - 1}(nn.Module):") + 1
    assert skipped
    assert all("budget of" in line and line.endswith("expressions is spent") for line in skipped)
    assert not any("budget of -" in line for line in skipped)
    assert skipped[-1].startswith(f"much.py:{last}:1: `Block{_LAYERS - 1}")


def test_json_has_elements_without_a_code(folder: Path) -> None:
    elements = json.loads(lint("--show-skipped", "--output-format=json", ".", cwd=folder).out)
    skipped = [element for element in elements if element["code"] is None]
    assert skipped
    assert {element["filename"] for element in skipped} == {str(folder / "much.py")}
    assert all(element["scope"].startswith("Block") for element in skipped)
    assert all("budget" in element["message"] for element in skipped)


def test_it_is_said_only_on_request_and_changes_no_exit_code(folder: Path) -> None:
    silent = lint("much.py", cwd=folder)
    assert "not looked at" not in silent.out
    assert lint("--show-skipped", "much.py", cwd=folder).code == silent.code


def test_nothing_is_said_of_what_was_looked_at(folder: Path) -> None:
    result = lint("--show-skipped", "clean.py", cwd=folder)
    assert (result.code, result.err) == (0, "")
    assert "not looked at" not in result.out


def test_what_is_left_after_fixing_is_said_as_well(folder: Path) -> None:
    assert "not looked at to its end" in lint("--fix", "--show-skipped", ".", cwd=folder).out


def test_a_function_is_named_once_for_each_reason(tmp_path: Path) -> None:
    text = "import torch\ndef run(xs):\n    x = torch.zeros(3)\n"
    for depth in range(1, 9):
        text += f"{' ' * 4 * depth}for x{depth} in xs:\n{' ' * 4 * (depth + 1)}x = [x, x{depth}]\n"
    (tmp_path / "loops.py").write_text(text)
    lines = lint("--show-skipped", ".", cwd=tmp_path).out.splitlines()
    assert [line for line in lines if "`run`" in line] == [
        "loops.py:4:5: `run` was not looked at to its end: the budget of its loops is spent"
    ]


def test_nothing_is_fixed_in_a_file_that_was_not_looked_at_to_its_end(tmp_path: Path) -> None:
    thrown_away = "import torch\nx = torch.zeros(3)\nx.cuda()\n"
    (tmp_path / "little.py").write_text(thrown_away)
    (tmp_path / "much.py").write_text(thrown_away + _TOO_MUCH)
    lines = lint("--output-format=concise", ".", cwd=tmp_path).out.splitlines()
    found = [line for line in lines if "TDL001" in line]
    assert [(line.split(":")[0], "[*]" in line) for line in found] == [
        ("little.py", True),
        ("much.py", False),
    ]


def test_a_file_that_is_too_large_is_not_parsed_and_is_said_to_be(tmp_path: Path) -> None:
    text = "import torch\nx = torch.zeros(1)\nx.cuda()\n(  # no syntax\n"
    (tmp_path / "vast.py").write_text(text + "# words\n" * (MAX_CHARACTERS // 8 + 1))
    for fixing in ((), ("--fix",)):
        result = lint("vast.py", "--show-skipped", *fixing, cwd=tmp_path)
        assert result.code == 0
        assert "vast.py:1:1: " in result.out
        assert "the file is larger than 1,000,000 characters" in result.out
    assert (tmp_path / "vast.py").read_text().startswith(text)


def test_nothing_is_fixed_where_the_rest_of_a_function_was_left_out(tmp_path: Path) -> None:
    """Behind that, anything might come to light with each fix; elsewhere, all is fixed."""
    elsewhere = "import torch\n\ny = torch.zeros(1)\ny.cuda()\nprint(y)\n\n\n"
    long = "def f(a):\n    x = torch.zeros(1)\n" + "".join(
        f"    for b{n} in a:\n        x = x.cuda() + torch.zeros({n})\n" for n in range(300)
    )
    (tmp_path / "a.py").write_text(elsewhere + long)
    assert "`f` was not looked at" in lint("a.py", "--show-skipped", cwd=tmp_path).out
    lint("a.py", "--fix", "--unsafe-fixes", cwd=tmp_path)
    fixed = (tmp_path / "a.py").read_text()
    assert "y = y.cuda()" in fixed and fixed.endswith(long)
