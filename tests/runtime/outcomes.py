"""What fixtures say about their run, and running them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from .run_program import Choice, Outcome

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"

_RUNTIME = re.compile(r"^# runtime: (fails|passes|silent|not run)\b[ :]*(.*)$", re.MULTILINE)
_EXPECT = re.compile(r"# expect: (TDL\d{3}(?:, TDL\d{3})*)")

Kind = Literal["fails", "passes", "silent", "not run"]


@dataclass(frozen=True, slots=True)
class Declaration:
    """The `# runtime:` line of a fixture.

    Args:
        kind: what its run does.
        type: the exception's class name, where it fails.
        text: a piece of the exception's message, or the reason not to run it.
    """

    kind: Kind
    type: str = ""
    text: str = ""


def declaration(source: str) -> Declaration:
    """Read the runtime line of a fixture.

    Raises:
        ValueError: there is none, or more than one, or it can't be read.
    """
    lines = _RUNTIME.findall(source)
    if len(lines) != 1:
        raise ValueError(f"one '# runtime:' line expected, found {len(lines)}")
    kind, rest = lines[0]
    if kind == "fails":
        name, separator, text = rest.partition(": ")
        if not separator or not name.isidentifier():
            raise ValueError(f"'fails' needs 'Type: text', not {rest!r}")
        return Declaration("fails", name, text.strip())
    if kind == "silent":
        return Declaration("silent", "AssertionError")
    if kind == "not run":
        return Declaration("not run", text=rest.strip("() "))
    return Declaration("passes")


def expected_lines(source: str) -> dict[int, tuple[str, ...]]:
    """Return the lines with an `# expect:` marker, and the codes expected there."""
    return {
        number: tuple(match.group(1).split(", "))
        for number, line in enumerate(source.splitlines(), 1)
        if (match := _EXPECT.search(line))
    }


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
        request = {"program": str(program), "device": device, "allow_mixing": allow_mixing}
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
