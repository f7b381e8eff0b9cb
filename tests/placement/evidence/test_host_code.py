"""What stands in a project's tests is called by tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.source import read_source

HELPER = """\
import torch


def noisy(means: torch.Tensor) -> torch.Tensor:
    return means + torch.randn(3)
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sampling.py", ["TDL016"]),
        ("test_sampling.py", []),
        ("conftest.py", []),
        ("tests/sampling.py", []),
    ],
)
def test_helpers_of_tests_are_given_what_tests_have(
    tmp_path: Path, name: str, expected: list[str]
) -> None:
    (tmp_path / "pyproject.toml").touch()
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(HELPER)
    source = read_source(str(file))
    assert [found.code for found in lint(source, source.parse(), BY_DEFAULT)] == expected


@pytest.mark.parametrize(("first", "expected"), [("x", ["TDL016"]), ("x.cpu()", [])])
def test_a_long_sum_is_handed_over(tmp_path: Path, first: str, expected: list[str]) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "sampling.py").write_text(HELPER)
    total = " + ".join([first, *["x"] * 900])
    user = f"from sampling import noisy\n\n\ndef use(x):\n    return noisy({total})\n\n\n"
    (tmp_path / "user.py").write_text(user)
    source = read_source(str(tmp_path / "sampling.py"))
    assert [found.code for found in lint(source, source.parse(), BY_DEFAULT)] == expected
