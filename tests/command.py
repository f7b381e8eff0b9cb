"""Running torchdev-lint and flake8 as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"

DISCARDED = """\
import torch

images = torch.randn(8, 3)
images.to("cuda")
print(images.device)
"""
"""A program with one finding: TDL001 in line 4, column 1."""

CLEAN = """\
import torch

images = torch.randn(8, 3).to("cuda")
print(images.device)
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str


def lint(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> Result:
    """Run the command in a process of its own."""
    return _run(["-m", "torchdev_lint", *map(str, arguments)], cwd, stdin, env or {})


def flake8(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> Result:
    """Run flake8 without any configuration but what the folder holds."""
    return _run(["-m", "flake8", *map(str, arguments)], cwd, stdin, env or {})


def wait_until_idle(pid: int, limit: float = 60.0) -> None:
    """Wait until a process waits for something itself, using no time of its own any more.

    Args:
        limit: seconds to wait at most.
    """
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():  # not on Linux: give it time
        time.sleep(3)
        return
    quiet, used, end = 0, "", time.monotonic() + limit
    while quiet < 4 and time.monotonic() < end:
        time.sleep(0.1)
        fields = stat.read_text().rpartition(")")[2].split()
        state, now = fields[0], f"{fields[11]} {fields[12]}"
        quiet = quiet + 1 if state == "S" and now == used else 0
        used = now


def _run(arguments: list[str], cwd: Path, stdin: bytes, env: dict[str, str]) -> Result:
    inherited = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "FORCE_COLOR"}}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env={**inherited, "PYTHONPATH": str(ROOT), **env},
        check=False,
    )
    return Result(
        done.returncode,
        done.stdout.decode().replace("\r\n", "\n"),
        done.stderr.decode().replace("\r\n", "\n"),
    )
