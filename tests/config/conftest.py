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
    """Run the command in the folder of the test, in this process; nothing is kept unless told."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, cache: str = "--no-cache") -> Result:
        capfd.readouterr()
        try:
            code = main(["--timeout", "0", cache, *arguments])
        except SystemExit as end:
            code = int(str(end.code))
        return Result(code, *capfd.readouterr())

    return run
