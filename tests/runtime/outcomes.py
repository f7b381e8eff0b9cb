"""Running programs, many of them, and what came out of each."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from tests.command import ROOT

from .run_program import Choice, Outcome


class RunnerError(Exception):
    """The program's process ended without an outcome."""


@dataclass(frozen=True, slots=True)
class Run:
    """A program's outcome and what it printed."""

    outcome: Outcome
    printed: str


class Runner:
    """Runs programs, each in a process of its own.

    Args:
        device: the kind of accelerator; `auto` takes a real one where there is one.
        python: the interpreter, by default this one.
    """

    def __init__(self, device: Choice = "auto", python: str = sys.executable) -> None:
        self.device = device
        self._server = subprocess.Popen(
            [python, "-m", f"{__package__}.server"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(self, program: Path, allow_mixing: bool = False) -> Run:
        """Run one program.

        Args:
            program: the file.
            allow_mixing: record mixing devices instead of raising; always simulated.

        Raises:
            RunnerError: the process died, was killed for its time, or had no accelerator.
        """
        device = "simulated" if allow_mixing else self.device
        request = {
            "program": str(program.absolute()),
            "device": device,
            "allow_mixing": allow_mixing,
        }
        self._pipe(self._server.stdin).write(json.dumps(request) + "\n")
        self._pipe(self._server.stdin).flush()
        answer = json.loads(self._pipe(self._server.stdout).readline() or "{}")
        if not answer.get("outcome"):
            raise RunnerError(
                f"{program}: no outcome, exit status {answer.get('status')}\n"
                f"{answer.get('printed', '')}"
            )
        return Run(Outcome.from_json(answer["outcome"]), answer["printed"])

    def close(self) -> None:
        """End the server."""
        self._pipe(self._server.stdin).close()
        self._server.wait(timeout=30)
        self._pipe(self._server.stdout).close()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None  # Popen was asked for it
        return pipe


class Runners:
    """Several servers that run programs; who needs one takes one that has nothing to do.

    Args:
        device: the kind of accelerator.
        number: how many.
    """

    def __init__(self, device: Choice, number: int) -> None:
        self.number = number
        self._all = [Runner(device) for _ in range(number)]
        self._idle: SimpleQueue[Runner] = SimpleQueue()
        for runner in self._all:
            self._idle.put(runner)

    def __enter__(self) -> Runners:
        return self

    def __exit__(self, *error: object) -> None:
        for runner in self._all:
            runner.close()

    def run(self, program: Path, allow_mixing: bool) -> Outcome:
        """Run one program; raises what `Runner.run` raises."""
        runner = self._idle.get()
        try:
            return runner.run(program, allow_mixing).outcome
        finally:
            self._idle.put(runner)
