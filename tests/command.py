"""Running torchdev-lint and flake8 as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from tests.forked import can_be_forked, forks

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
_LIMIT = 480
"""How many seconds a command may take."""

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
    """Run the command in a process of its own, started or forked."""
    return _run(["torchdev_lint", *map(str, arguments)], cwd, stdin, env or {})


def codes_in(file: str, *options: str, cwd: Path) -> list[tuple[str, int]]:
    """Return what the command finds in a file, with the lines."""
    found = json.loads(lint(file, "--output-format=json", *options, cwd=cwd).out)
    return [(finding["code"], finding["location"]["row"]) for finding in found]


def flake8(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> Result:
    """Run flake8 without any configuration but what the folder holds."""
    return _run(["flake8", *map(str, arguments)], cwd, stdin, env or {})


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


def start(
    command: list[str], cwd: Path, env: dict[str, str], stdin: int, stdout: int, stderr: int
) -> Callable[[], int]:
    """Start a command.

    Args:
        command: a module, `torchdev_lint` or `flake8`, and its arguments.
        env: the whole environment.
        stdin: the file that it reads.
        stdout: the file that it writes to.
        stderr: the file that it complains to.

    Returns:
        What waits for its end, and returns the exit code.
    """
    if can_be_forked(env):
        forks().start(command, cwd, env, (stdin, stdout, stderr))
        return partial(forks().end, _LIMIT)
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
    )
    return partial(_end, process)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process, or put one to it."""
    with process:
        try:
            return process.wait(_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def _run(command: list[str], cwd: Path, stdin: bytes, env: dict[str, str]) -> Result:
    inherited = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "FORCE_COLOR"}}
    whole = {**inherited, "PYTHONPATH": str(ROOT), **env}
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        code = start(command, cwd, whole, given.fileno(), out.fileno(), err.fileno())()
        return Result(code, _text(out), _text(err))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")
