"""Ask `FakeTensorMode` about each operation of the mixing table.

    python -m tests.runtime.witness.fake [ROW...]

asks about all rows, or those of the numbers given, and prints one JSON object an operation. On a
build without CUDA it can run less: what needs to know the current device, or records a gradient,
fails there or ends the process. Hence the answers come from forked processes, and gradients are
only recorded where a row asks for them.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.runtime.mixing_rows.row import Row
from tests.runtime.mixing_table import ROWS, Result, run_operation

CANNOT = "can't run"

# With its number: without one, torch asks a CUDA that isn't there for the current device.
_DEVICE = "cuda:0"
_PLACES = {"cuda": "accelerator", "cpu": "host", "": "neither"}
_REFUSAL = "FakeTensorDeviceMismatchError"  # a class of torch 2.13 that 2.11 hasn't
_NEED_GRADIENTS = ("backward", "requires_grad")

Question = tuple[int, str]
"""The number of a row, and the operation."""


def ask(row: Row, name: str) -> Result:
    """Ask about one operation, in this process; the outcome may also be `CANNOT`.

    An exception is a refusal to mix if it says so, or if nothing is raised where all is on the
    accelerator.
    """
    result = run_operation(row, name, _DEVICE)
    if result.outcome == "mixes":
        return dataclasses.replace(result, place=_PLACES.get(result.place, result.place))
    if not _names_both_devices(result):
        if run_operation(row, name, _DEVICE, host=_DEVICE).outcome == "raises":
            return dataclasses.replace(result, outcome=CANNOT)
    return result


def _names_both_devices(result: Result) -> bool:
    if result.error == _REFUSAL:
        return True
    return "cpu" in result.message and "cuda" in result.message


def answers(questions: Sequence[Question]) -> Iterator[tuple[Question, Result]]:
    """Yield the answer to each question; one over which the process ends can't be run."""
    left = list(questions)
    while left:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            _child(left, os.fdopen(write, "w", encoding="utf-8"))
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as lines:
            for line in lines:
                yield left.pop(0), Result(**json.loads(line))
        _, status = os.waitpid(pid, 0)
        if left:
            ended = f"ends the process with status {os.waitstatus_to_exitcode(status)}"
            question = left.pop(0)
            yield question, Result(question[1], CANNOT, "Aborted", ended)


def _child(questions: Sequence[Question], output: TextIO) -> None:
    """Answer in this forked process, and end it."""
    code = 1
    try:
        # What C++ has to say about its end is no use to anybody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        with FakeTensorMode():
            for number, name in questions:
                row = ROWS[number]
                with torch.set_grad_enabled(any(word in row.code for word in _NEED_GRADIENTS)):
                    result = ask(row, name)
                output.write(json.dumps(dataclasses.asdict(result)) + "\n")
                output.flush()
        code = 0
    finally:
        os._exit(code)


def questions_about(rows: Sequence[int] = range(len(ROWS))) -> list[Question]:
    """Every operation of some rows of the table."""
    return [(number, name) for number in rows for name in ROWS[number].called]


def main() -> None:
    """Ask about the rows that the command line names."""
    torch.set_num_threads(1)  # threads of the parent would not live on in its forks
    rows = [int(argument) for argument in sys.argv[1:]] or range(len(ROWS))
    for (number, _), result in answers(questions_about(rows)):
        print(json.dumps({"row": number, **dataclasses.asdict(result)}), flush=True)


if __name__ == "__main__":
    main()
