"""What happens when a host tensor meets device tensors, operation by operation.

    python -m tests.runtime.mixing_table [--device auto|real|simulated] [ROW...]

runs every row, or those of the numbers given, and prints one JSON object a row. The table
is the truth behind the analysis's catalog of what may mix.

Each row names its source: an entry of `native_functions.yaml` (a test compares the quotes with the
installed file), a file of PyTorch's that decides, or both. None of that replaces a run: all rows
have been seen on CUDA, and `docs/evidence.json` has what it said. (Nine of 1,208 operations said
something else than had been read out of the sources, seven of them in other words only.)
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from . import run_program
from .mixing_rows import (
    catalog,
    elementwise,
    factories,
    indexing,
    joining,
    linear,
    losses,
    modules,
    values,
    writing,
)
from .mixing_rows.row import Row

ROWS: tuple[Row, ...] = (
    *catalog.ROWS,
    *elementwise.ROWS,
    *factories.ROWS,
    *indexing.ROWS,
    *joining.ROWS,
    *linear.ROWS,
    *losses.ROWS,
    *modules.ROWS,
    *values.ROWS,
    *writing.ROWS,
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one row did.

    Args:
        name: the operation as it was called.
        outcome: `mixes` or `raises`.
        error: the exception's class name.
        message: the first line of its text.
        place: the type of device the result is on, empty if it is no tensor.
    """

    name: str
    outcome: str
    error: str = ""
    message: str = ""
    place: str = ""


def _maker(device: str) -> Callable[..., torch.Tensor]:
    def make(*shape: int, kind: type = float) -> torch.Tensor:
        if kind is float:
            return torch.rand(shape).to(device)
        if kind is int:
            return torch.zeros(shape, dtype=torch.int64).to(device)
        return torch.ones(shape, dtype=torch.bool).to(device)

    return make


def _environment(row: Row, name: str, device: str, host: str) -> dict[str, Any]:
    """Make the names that a row's code may use, for one of its operations."""
    space: dict[str, Any] = {
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "device": torch.device(device),
        "host": _maker(host),
        "dev": _maker(device),
    }
    if "OP" in row.code:
        space["OP"] = eval(name, space)  # the table is ours
    space["NAME"] = name.rpartition(".")[2]
    space["call"] = partial(_call, device=device)
    return space


def _call(name: str, device: str) -> Any:
    """Call an operation of the catalog on a sample on the device."""
    # Imported late: the samples are tensors, of the kind that this process has by now.
    from tests.catalog.samples import call

    return call(name, device)


def _evaluate(code: str, space: dict[str, Any]) -> Any:
    """Run all statements but the last, and return the value of that."""
    *before, last = ast.parse(code).body
    assert isinstance(last, ast.Expr), code
    exec(compile(ast.Module(before, []), "<row>", "exec"), space)
    return eval(compile(ast.Expression(last.value), "<row>", "eval"), space)


def _place(value: Any) -> str:
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        value = value.data
    return value.device.type if isinstance(value, torch.Tensor) else ""


def run_operation(row: Row, name: str, device: str, host: str = "cpu") -> Result:
    """Run the code of a row for one of its operations.

    Args:
        row: the row.
        name: the operation.
        device: where the accelerator's tensors go.
        host: where the host's go.
    """
    try:
        value = _evaluate(row.code, _environment(row, name, device, host))
    except Exception as error:
        text = str(error)
        line = text.splitlines()[0] if text else ""
        return Result(name, "raises", type(error).__name__, line)
    return Result(name, "mixes", place=_place(value))


def run_row(row: Row, device: str) -> list[Result]:
    """Run a row on a device, for all of its operations."""
    return [run_operation(row, name, device) for name in row.called]


def faults(row: Row, results: list[Result], accelerator: str) -> list[str]:
    """Say in what a row's results differ from what it expects."""
    place = {"accelerator": accelerator, "host": "cpu", "neither": ""}[row.result]
    found = []
    for result in results:
        if result.outcome != row.expected:
            found.append(f"{result.name} {result.outcome}: {result.error} {result.message}")
        elif row.expected == "raises":
            if result.error != row.error or row.text not in result.message:
                found.append(f"{result.name} says {result.error}: {result.message}")
        elif result.place != place:
            found.append(f"{result.name} gives a result on {result.place or 'no device'}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run all rows; the exit code is 1 if any row is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtime.mixing_table")
    parser.add_argument("--device", choices=("auto", "real", "simulated"), default="auto")
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW")
    options = parser.parse_args(arguments)
    name, _ = run_program.prepare(options.device, "", allow_mixing=False)
    accelerator = run_program.accelerator_type()
    wrong = 0
    for number in options.rows or range(len(ROWS)):
        row = ROWS[number]
        results = run_row(row, accelerator)
        problems = faults(row, results, accelerator)
        wrong += bool(problems)
        record = {
            "row": number,
            "title": row.title,
            "expected": row.expected,
            "results": [
                {
                    "name": result.name,
                    "outcome": result.outcome,
                    "error": result.error,
                    "message": result.message,
                }
                for result in results
            ],
            "faults": problems,
            "device": name,
            "torch": torch.__version__,
        }
        print(json.dumps(record), flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
