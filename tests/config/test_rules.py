"""Which rules run for which file, and what their findings are like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import DISCARDED, NOTHING_ON, found, write

TWO = """\
import torch
from torch import nn

images = torch.randn(8, 3)
images.to("cuda")
print(images.device)


class Net(nn.Module):
    def forward(self, x):
        layer = nn.Linear(3, 3)
        return layer(x)


Net().cuda()
"""
"""TDL001 has a fix here, TDL003 an unsafe one."""

NAMED = """\
import torch


def noisy(grid: torch.Tensor):
    return grid[:, 0] + torch.randn(4).cuda()
"""
"""TDL903 has a finding here, and no other rule."""


def codes(lint: Lint, settings: str, *arguments: str) -> list[str]:
    Path("torchdev-lint.toml").write_text(settings, encoding="utf-8")
    result = lint("--output-format", "json", *arguments)
    assert result.err in ("", NOTHING_ON)
    return [finding["code"] for finding in json.loads(result.out)]


@pytest.fixture(autouse=True)
def program(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TWO)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("", ["TDL001", "TDL003"]),
        ('select = ["TDL001"]', ["TDL001"]),
        ('select = ["tdl001"]', ["TDL001"]),
        ('select = ["discarded-move"]', ["TDL001"]),
        ('select = ["TDL"]', ["TDL001", "TDL003"]),
        ('select = ["ALL"]', ["TDL001", "TDL003"]),
        ("select = []", []),
        ('select = []\nextend-select = ["layer-in-forward"]', ["TDL003"]),
        ('ignore = ["layer-in-forward"]', ["TDL001"]),
        ('ignore = ["ALL"]', []),
        ('ignore = ["TDL001"]\nextend-ignore = ["TDL003"]', []),
        ('ignore = ["TDL00"]\nextend-select = ["TDL001"]', ["TDL001"]),
        ('select = ["TDL001"]\nignore = ["discarded-move"]', []),
        ('select = ["TDL"]\nignore = ["ALL"]', ["TDL001", "TDL003"]),
    ],
)
def test_selection(lint: Lint, settings: str, expected: list[str]) -> None:
    assert codes(lint, settings) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--select", "TDL003"], ["TDL003"]),
        (["--select", "layer-in-forward,discarded-move"], ["TDL001", "TDL003"]),
        (["--extend-select", "TDL003"], ["TDL003"]),
        (["--ignore", "TDL003"], []),
        (["--extend-select", "TDL", "--extend-ignore", "TDL001"], ["TDL003"]),
    ],
)
def test_the_command_line_comes_on_top(
    lint: Lint, arguments: list[str], expected: list[str]
) -> None:
    assert codes(lint, 'ignore = ["TDL001", "TDL003"]', *arguments) == expected


@pytest.mark.parametrize(
    ("ignores", "expected"),
    [
        ('"tests/" = ["TDL001"]', ["a.py", "sub/b.py"]),
        ('"tests" = ["TDL001"]', ["a.py", "sub/b.py"]),
        ('"tests/**" = ["TDL001"]', ["a.py", "sub/b.py"]),
        ('"*.py" = ["discarded-move"]', []),
        ('"b.py" = ["TDL"]', ["a.py", "tests/c.py"]),
        ('"sub/*.py" = ["ALL"]', ["a.py", "tests/c.py"]),
        ('"/a.py" = ["TDL0"]', ["sub/b.py", "tests/c.py"]),
        ('"!tests/" = ["TDL001"]', ["tests/c.py"]),
        ('"a.py" = ["TDL001"], "sub/" = ["TDL001"]', ["tests/c.py"]),
        ('"tests/" = ["TDL002"]', ["a.py", "sub/b.py", "tests/c.py"]),
    ],
)
def test_per_file_ignores(tmp_path: Path, lint: Lint, ignores: str, expected: list[str]) -> None:
    write(tmp_path, dict.fromkeys(["a.py", "sub/b.py", "tests/c.py"], DISCARDED))
    write(tmp_path, {"torchdev-lint.toml": f"per-file-ignores = {{ {ignores} }}\n"})
    assert found(lint()) == expected
    for path in ("a.py", "sub/b.py", "tests/c.py"):
        assert found(lint(path)) == [path] * (path in expected)


def test_per_file_ignores_on_the_command_line(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, dict.fromkeys(["a.py", "b.py", "c.py"], DISCARDED))
    write(tmp_path, {"torchdev-lint.toml": 'per-file-ignores = { "c.py" = ["TDL001"] }\n'})
    assert found(lint("--extend-per-file-ignores", "b.py:TDL001")) == ["a.py"]
    assert found(lint("--per-file-ignores", "a.py:TDL002,TDL001,b.py:TDL001")) == ["c.py"]
    assert lint("--per-file-ignores", "TDL001").code == 2


@pytest.mark.parametrize("key", ["select", "extend-ignore", "fixable", "extend-safe-fixes"])
@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("TDL011x", "; did you mean `TDL011`?"),
        ("TDL012x", "; did you mean `TDL012`?"),
        ("discarded-moves", "; did you mean `discarded-move`?"),
        ("E501", ""),
        ("", ""),
    ],
)
def test_a_rule_that_there_is_not(
    tmp_path: Path, lint: Lint, key: str, rule: str, hint: str
) -> None:
    write(tmp_path, {"torchdev-lint.toml": f'jobs = 1\n\n{key} = [\n  "{rule}",\n]\n'})
    result = lint()
    assert (result.code, result.out) == (2, "")
    place = "torchdev-lint.toml:3: error"
    assert result.err == f"{place}: `{key}`: no rule is called {rule!r}{hint}\n"


@pytest.mark.parametrize(
    "table", ['per-file-ignores = { "a" = ["X"] }', 'severity = { X = "error" }']
)
def test_a_rule_that_there_is_not_in_a_table(tmp_path: Path, lint: Lint, table: str) -> None:
    write(tmp_path, {"torchdev-lint.toml": table})
    result = lint()
    key = table.partition(" ")[0]
    assert result.err == f"torchdev-lint.toml:1: error: `{key}`: no rule is called 'X'\n"


class TestFixes:
    def fixed(self, lint: Lint, settings: str, *arguments: str) -> list[str]:
        """The rules whose findings are fixed."""
        Path("torchdev-lint.toml").write_text(settings, encoding="utf-8")
        Path("a.py").write_text(TWO)
        lint("--fix", *arguments)
        left = lint("--isolated", "--output-format", "json")
        return sorted({"TDL001", "TDL003"} - {each["code"] for each in json.loads(left.out)})

    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ("", ["TDL001"]),
            ('unfixable = ["TDL001"]', []),
            ('fixable = ["TDL003"]', []),
            ('fixable = ["TDL"]\nunfixable = ["discarded-move"]', []),
            ('extend-safe-fixes = ["TDL003"]', ["TDL001", "TDL003"]),
            ("unsafe-fixes = true", ["TDL001", "TDL003"]),
            ('unsafe-fixes = true\nfixable = ["TDL003"]', ["TDL003"]),
        ],
    )
    def test_what_is_fixed(self, lint: Lint, settings: str, expected: list[str]) -> None:
        assert self.fixed(lint, settings) == expected

    def test_on_the_command_line(self, lint: Lint) -> None:
        assert self.fixed(lint, "unsafe-fixes = true", "--no-unsafe-fixes") == ["TDL001"]
        assert self.fixed(lint, "", "--unfixable", "TDL001") == []
        assert self.fixed(lint, 'fixable = ["TDL003"]', "--fixable", "TDL001") == ["TDL001"]

    def test_what_is_not_to_be_fixed_has_no_mark(self, lint: Lint) -> None:
        Path("torchdev-lint.toml").write_text('unfixable = ["TDL001"]')
        assert "[*]" not in lint().out


@pytest.mark.parametrize(
    ("severity", "expected"),
    [
        ("", ["error", "error"]),
        ('TDL001 = "warning"', ["warning", "error"]),
        ('ALL = "warning"', ["warning", "warning"]),
        ('ALL = "warning", layer-in-forward = "error"', ["warning", "error"]),
        ('TDL003 = "error", TDL0 = "warning"', ["warning", "error"]),
    ],
)
def test_severity(tmp_path: Path, lint: Lint, severity: str, expected: list[str]) -> None:
    write(
        tmp_path,
        {"torchdev-lint.toml": f"severity = {{ {severity} }}", "a.py": f"{TWO}\nNet().cuda()\n"},
    )
    result = lint("--output-format", "json")
    assert [finding["severity"] for finding in json.loads(result.out)] == expected
    assert result.code == 1


class TestPreview:
    def test_rules_that_are_tried_out_run_with_it(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"a.py": NAMED})
        assert found(lint()) == []
        assert "TDL903" in lint("--preview").out
        write(tmp_path, {"torchdev-lint.toml": "preview = true"})
        assert "TDL903" in lint().out
        assert found(lint("--no-preview")) == []
        assert found(lint("--ignore", "TDL903")) == []

    def test_a_selection_names_them_all_the_same(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"a.py": NAMED})
        assert found(lint("--preview", "--select", "TDL0")) == []
        assert "TDL903" in lint("--select", "TDL903").out

    def test_rules_that_are_a_matter_of_taste_stay_off(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"a.py": "import torch  # noqa: TDL001\n"})
        assert found(lint("--preview")) == []
