"""Runs programs on the simulated accelerator, one after the other, in a process of its own.

There is no way back from the simulation, hence the process: `Accelerator` starts it, and it reads
programs from standard input, each a line of JSON, and answers each with a line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO

from tests.command import ROOT
from tests.fixes.running import Ran, ran


class Accelerator:
    """A process that has a simulated accelerator."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(self, text: str) -> Ran:
        """Run a program there."""
        self._pipe(self._process.stdin).write(json.dumps(text) + "\n")
        self._pipe(self._process.stdin).flush()
        return Ran(*json.loads(self._pipe(self._process.stdout).readline()))

    def close(self) -> None:
        """End the process."""
        self._pipe(self._process.stdin).close()
        self._process.wait(timeout=30)
        self._pipe(self._process.stdout).close()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None  # Popen was asked for it
        return pipe


def main() -> None:
    """Serve until the input ends."""
    import torch

    from tests.runtime import simulated

    simulated.install()
    for line in sys.stdin:
        done = ran(json.loads(line))
        torch.set_default_device(None)  # a program may have set one
        print(json.dumps([done.printed, done.error]), flush=True)


if __name__ == "__main__":
    main()
