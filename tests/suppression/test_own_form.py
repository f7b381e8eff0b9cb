"""Comments in our own form, and in the one that Ruff makes of `# noqa`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.conftest import Lint, lint
from tests.config.projects import write

__all__ = ["lint"]

HEAD = "import torch\nx = torch.ones(3)\n"


def codes(lint: Lint, folder: Path, text: str) -> list[str]:
    """What is found: the lines behind the head, counted from 1, and the codes."""
    write(folder, {"a.py": f"{HEAD}{text}"})
    result = lint("-q", "a.py")
    assert result.err == ""
    lines = [line.split(":") for line in result.out.splitlines()]
    return [f"{int(line) - 2}:{rest.split()[0]}" for _, line, _, rest, *_ in lines]


@pytest.mark.parametrize(
    "comment",
    [
        "# torchdev-lint: ignore",
        "# torchdev-lint: ignore[TDL001]",
        "# torchdev-lint: ignore[discarded-move]",
        "# torchdev-lint: ignore[tdl001, TDL002]",
        "# torchdev-lint: ignore[TDL0]",
        "# torchdev-lint:ignore [TDL001] the wrapper moves it",
        "#torchdev-lint: ignore",
        "# ruff: ignore[TDL001]",
        "# ruff: ignore[F401, TDL001] a reason",
        "# type: ignore # torchdev-lint: ignore[TDL001]",
    ],
)
def test_on_the_line_in_the_statement_and_above_it(
    lint: Lint, tmp_path: Path, comment: str
) -> None:
    assert codes(lint, tmp_path, f'x.to("cuda")  {comment}\n') == []
    assert codes(lint, tmp_path, f'x.to(\n    "cuda",  {comment}\n)\n') == []
    assert codes(lint, tmp_path, f'{comment}\nx.to("cuda")\nx.cuda()\n') == ["3:TDL001"]
    assert codes(lint, tmp_path, f'{comment}\n\n# another\nx.to("cuda")\n') == []
    assert codes(lint, tmp_path, f'x.to("cuda")\n{comment}\n') == ["1:TDL001"]


@pytest.mark.parametrize(
    "comment",
    [
        "# torchdev-lint: ignore[TDL002]",
        "# torchdev-lint: ignore[]",
        "# torchdev-lint: ignored",
        "# torchdev-lint ignore",
        "# ruff: ignore",
        "# ruff: ignore[F401]",
        "# ruff: noqa: TDL002",
    ],
)
def test_something_else_is_said(lint: Lint, tmp_path: Path, comment: str) -> None:
    assert codes(lint, tmp_path, f'x.to("cuda")  {comment}\n') == ["1:TDL001"]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# torchdev-lint: ignore-file", []),
        ("# torchdev-lint: ignore-file[TDL001] a demo", []),
        ("# torchdev-lint: file-ignore[discarded-move]", []),
        ("# ruff: file-ignore[TDL001]", []),
        ("# torchdev-lint: ignore-file[TDL002]", ["2:TDL001", "4:TDL001"]),
    ],
)
def test_the_whole_file(lint: Lint, tmp_path: Path, comment: str, expected: list[str]) -> None:
    text = f'{comment}\nx.to("cuda")\nif x:\n    x.cuda()\n'
    assert codes(lint, tmp_path, text) == expected


def test_the_whole_file_only_on_a_line_of_its_own(lint: Lint, tmp_path: Path) -> None:
    text = 'x.to("cuda")  # torchdev-lint: ignore-file\nx.cuda()\n'
    assert codes(lint, tmp_path, text) == ["1:TDL001", "2:TDL001"]


def test_a_string_is_no_comment(lint: Lint, tmp_path: Path) -> None:
    text = 'x.to("cuda", "# torchdev-lint: ignore")\n'
    assert codes(lint, tmp_path, text) == ["1:TDL001"]


def test_a_rule_that_there_is_not_is_told(lint: Lint, tmp_path: Path) -> None:
    text = 'x.to("cuda")  # torchdev-lint: ignore[TDL777, discarded-moves]\n'
    write(tmp_path, {"a.py": HEAD + text})
    result = lint("-q", "a.py")
    assert result.code == 1
    assert "a.py:3:1: TDL001" in result.out
    assert result.err.splitlines() == [
        "a.py:3:39: warning: no rule is called 'TDL777'; did you mean `TDL007`?",
        "a.py:3:47: warning: no rule is called 'discarded-moves'; did you mean `discarded-move`?",
    ]


def test_a_fix_does_not_touch_it(lint: Lint, tmp_path: Path) -> None:
    text = f'{HEAD}x.to("cuda")  # torchdev-lint: ignore[TDL001]\nprint(x)\n'
    write(tmp_path, {"a.py": text})
    assert lint("--fix", "a.py").code == 0
    assert (tmp_path / "a.py").read_text() == text
