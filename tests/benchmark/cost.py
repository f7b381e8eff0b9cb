"""What linting costs beside parsing, and which files cost most.

    python tests/benchmark/cost.py [--lines N] [--pattern GLOB] FOLDER...

Every Python file that mentions torch (or those whose names fit GLOB) is parsed and walked through
(`ast.parse`, `ast.walk`) and then linted, once each, one after the other in this process; what
counts is CPU time. No file has been seen before, and nothing is kept between them but what the
linter itself keeps. The bars: linting takes at most 2.5 times as long as parsing and walking, and
no file costs more than 6 times the average a line.
"""

from __future__ import annotations

import argparse
import ast
import gc
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torchdev_lint.checking import check_file
from torchdev_lint.garbage import collect_rarely
from torchdev_lint.report import Task
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.discovery import Target
from torchdev_lint.source.source import mentions_torch

MAX_RATIO = 2.5
MAX_TIMES_AVERAGE = 6.0

_SHOWN = 10
_FEWEST_LINES = 50
"""In shorter files the cost of a file weighs more than that of its lines."""

_WARM_UP = """
import torch
class Warm(torch.nn.Module):
    def forward(self, x):
        return x + torch.zeros(1)  # noqa: E501
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one file took, in seconds of CPU time."""

    path: Path
    lines: int
    parsing: float
    linting: float


def main() -> None:
    """Measure, and print the ratio and the dearest files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--pattern", default="*.py", metavar="GLOB", help="names of files to take")
    parser.add_argument("--lines", type=int, default=0, help="how much to lint, at most; 0: all")
    options = parser.parse_args()
    load_what_loads_late()
    collect_rarely()  # as the command does
    costs = measured(options.folders, options.pattern, options.lines)
    if not costs:
        parser.error("no file of that name mentions torch")
    tell(costs)


def measured(folders: list[Path], pattern: str, limit: int) -> list[Cost]:
    """Measure file after file, in order of their names, until there are lines enough."""
    costs: list[Cost] = []
    lines = 0
    for path in sorted(path for folder in folders for path in folder.rglob(pattern)):
        data = path.read_bytes()
        lines += data.count(b"\n")
        if limit and costs and lines > limit:
            break
        if mentions_torch(data) and (cost := _cost(path, data)) is not None:
            costs.append(cost)
    return costs


def tell(costs: list[Cost]) -> None:
    """Print the figures."""
    lines = sum(cost.lines for cost in costs)
    parsing = sum(cost.parsing for cost in costs)
    linting = sum(cost.linting for cost in costs)
    average = linting / lines
    print(f"{len(costs):,} files, {lines:,} lines, in one process, each file once")
    print(f"parsing and walking {parsing:.2f} s, linting {linting:.2f} s of CPU time")
    print(f"linting takes {linting / parsing:.2f} times as long (bar: {MAX_RATIO})")
    print(
        f"{average * 1e6:.0f} µs a line on average; the dearest files of {_FEWEST_LINES} lines up:"
    )
    long_enough = [cost for cost in costs if cost.lines >= _FEWEST_LINES]
    dearest = sorted(long_enough, key=lambda cost: cost.linting / cost.lines, reverse=True)
    for cost in dearest[:_SHOWN]:
        a_line = cost.linting / cost.lines
        print(f"{a_line / average:8.1f} times {a_line * 1e6:8.0f} µs {cost.lines:7} {cost.path}")
    above = sum(cost.linting / cost.lines > MAX_TIMES_AVERAGE * average for cost in long_enough)
    print(f"{above} files above {MAX_TIMES_AVERAGE:.0f} times the average")


def _cost(path: Path, data: bytes) -> Cost | None:
    """Measure one file; None if it is no Python of this version."""

    def parse_and_walk() -> None:
        for _ in ast.walk(ast.parse(data)):
            pass

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in other people's strings
        try:
            parsing = _seconds(parse_and_walk)
        except (SyntaxError, ValueError):
            return None
    linting = _seconds(lambda: check_file(Task(Target(str(path), named=False), BY_DEFAULT)))
    return Cost(path, data.count(b"\n") + 1, parsing, linting)


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()  # nobody pays for what somebody else left
    gc.freeze()  # and what is kept need not be gone through again for each file
    before = time.process_time()
    work()
    return time.process_time() - before


def load_what_loads_late() -> None:
    """Lint something that can be fixed, so that no file pays for modules imported on first use.

    What is there by then stays: the collector need not go through it for each file.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "warm_up.py")
        path.write_text(_WARM_UP)
        check_file(Task(Target(str(path), named=True), BY_DEFAULT))
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main()
