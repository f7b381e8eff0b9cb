"""Run programs one after the other, each in a fork of a process that has torch imported.

Importing torch takes seconds and most programs take a tenth of one. Random numbers are the same in
each run, so that what two programs print can be compared. The server reads requests from
standard input, one JSON object a line, and answers each with one line. It needs `fork`, hence not
Windows.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from . import run_program
from .simulated import schemas

_LIMIT_SECONDS = 120  # a program that runs longer is ended by SIGALRM


def _child(request: dict[str, Any], output: int, result: Path) -> None:
    """Run the program in this forked process and leave its outcome in a file."""
    signal.alarm(_LIMIT_SECONDS)
    os.dup2(output, 1)
    os.dup2(output, 2)
    program, mixing = request["program"], request["allow_mixing"]
    device, watcher = run_program.prepare(request["device"], program, mixing)
    torch.manual_seed(0)
    outcome = run_program.run(program, device, watcher)
    sys.stdout.flush()
    sys.stderr.flush()
    result.write_text(outcome.as_json(), encoding="utf-8")


def serve(request: dict[str, Any]) -> dict[str, Any]:
    """Answer one request with the outcome and everything the program printed."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "outcome.json")
        with Path(folder, "output.txt").open("w+b") as output:
            pid = os.fork()
            if pid == 0:
                code = 70
                try:
                    _child(request, output.fileno(), result)
                    code = 0
                except SystemExit as error:  # there is no such accelerator
                    os.write(output.fileno(), str(error.code).encode())
                finally:
                    # Skips the parent's exit handlers, which belong to the parent.
                    os._exit(code)
            _, status = os.waitpid(pid, 0)
            output.seek(0)
            printed = output.read().decode("utf-8", "replace")
        text = result.read_text(encoding="utf-8") if result.exists() else None
    return {
        "outcome": text,
        "printed": printed,
        "status": os.waitstatus_to_exitcode(status),
        "seconds": round(time.perf_counter() - start, 3),
    }


def main() -> None:
    """Serve until the input ends."""
    torch.set_num_threads(1)  # threads of the parent would not live on in its forks
    schemas.operations()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(serve(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
