"""Commands as processes of their own, forked from one that has imported what they need.

An interpreter takes half a second to start and to import what lints, a fork some milliseconds, and
the suite runs a thousand commands. A fork gets its streams, folder, environment and arguments as if
it had been started with them, and ends as Python ends. What it can't show is how Python starts, and
what is imported when: tests of these start an interpreter.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
CAN_FORK = sys.platform == "linux"
"""Elsewhere a copy may lack what the system's libraries keep in threads."""

Streams = tuple[int | None, int | None, int | None]
"""The files that are standard input, output and error of a command; None: it is closed."""

_DECIDES_THE_START = ("PYTHON", "LC_", "LANG")
"""What the names of variables begin with that Python reads as it starts."""
_MAIN = {"torchdev_lint": "torchdev_lint.__main__", "flake8": "flake8.main.cli"}
_NEEDED = [
    "torchdev_lint.applying.call",
    "torchdev_lint.checking",
    "torchdev_lint.cli",
    "torchdev_lint.flake8_plugin",
    "torchdev_lint.processes.pool",
    "torchdev_lint.reporters.full",
    "torchdev_lint.reporters.json",
]
"""What nearly all commands import, and what it takes long to import."""
_LARGEST = 1_000_000
"""How many bytes a request may have."""


def can_be_forked(env: Mapping[str, str]) -> bool:
    """Whether Python would start in this environment as it did in that of the one that forks."""
    there = _environment()
    decisive = [name for name in env if name.startswith(_DECIDES_THE_START)]
    return CAN_FORK and all(env[name] == there.get(name) for name in decisive)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_ROOT)}


class Forks:
    """The process that forks, as those see it that want a command run."""

    def __init__(self) -> None:
        self._channel, other = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forked", str(other.fileno())],
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
                env=_environment(),
                pass_fds=[other.fileno()],
                start_new_session=True,
            )

    def start(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Streams
    ) -> None:
        """Start what `python -m` would run. Only one runs at a time: its end has to be awaited.

        Args:
            command: a module, `torchdev_lint` or `flake8`, and its arguments.
            env: the whole environment.
        """
        closed = [number is None for number in streams]
        request = {"command": command, "cwd": str(cwd), "env": dict(env), "closed": closed}
        numbers = [number for number in streams if number is not None]
        socket.send_fds(self._channel, [json.dumps(request).encode()], numbers)

    def end(self, seconds: float) -> int:
        """Wait for the end of the command; return its exit code, negative if a signal ended it.

        Raises:
            subprocess.TimeoutExpired: it takes longer; nothing can be asked for any more.
        """
        self._channel.settimeout(seconds)
        try:
            return int(self._channel.recv(_LARGEST))
        except TimeoutError:
            os.killpg(self._process.pid, signal.SIGKILL)
            forks.cache_clear()
            raise subprocess.TimeoutExpired("a fork", seconds) from None


@cache
def forks() -> Forks:
    """The one of this session; it ends with whoever started it."""
    return Forks()


def _serve(channel: socket.socket) -> int | None:
    """Fork for each request; return, in each fork as well, what to exit with."""
    while True:
        request, numbers, _, _ = socket.recv_fds(channel, _LARGEST, 3)
        if not request:
            return 0
        pid = os.fork()
        if pid == 0:
            channel.close()
            return _run(json.loads(request), numbers)
        for number in numbers:
            os.close(number)
        _, status = os.waitpid(pid, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def _run(request: dict[str, Any], numbers: Sequence[int]) -> int | None:
    """Be a process that was started for a command."""
    given = iter(numbers)
    for number, closed in enumerate(request["closed"]):
        if closed:
            os.close(number)
        else:
            os.dup2(there := next(given), number)
            os.close(there)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    module, *arguments = request["command"]
    sys.path[0] = request["cwd"]
    sys.argv = [module, *arguments]
    code: int | None = sys.modules[_MAIN[module]].main()
    return code


def _stream(number: int, before: io.TextIOWrapper) -> io.TextIOWrapper | None:
    """A standard stream as Python makes it when it starts."""
    try:
        raw = os.fdopen(number, "wb" if number else "rb", closefd=False)
    except OSError:  # it is closed
        return None
    return io.TextIOWrapper(
        raw, before.encoding, before.errors, line_buffering=number == 2 or raw.isatty()
    )


if __name__ == "__main__":
    for name in (*_MAIN.values(), *_NEEDED):
        importlib.import_module(name)
    gc.freeze()
    sys.exit(_serve(socket.socket(fileno=int(sys.argv[1]))))
