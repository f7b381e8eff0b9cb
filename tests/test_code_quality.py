"""The project's own code passes the checks that it asks of contributors."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .command import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", ["ruff check", "ruff format --check", "mypy"])
def test_no_complaints(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
