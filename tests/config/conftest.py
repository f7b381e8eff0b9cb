"""A folder, and the command run in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Result
from torchdev_lint.cli import main

Lint = Callable[..., Result]


@pytest.fixture
def lint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Lint:
    """Run the command in the folder of the test, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        try:
            code = main(["--timeout", "0", "--no-cache", *arguments])
        except SystemExit as end:
            code = int(str(end.code))
        return Result(code, *capfd.readouterr())

    return run
