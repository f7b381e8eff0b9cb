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
