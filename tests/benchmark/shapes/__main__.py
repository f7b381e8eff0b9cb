"""How time and memory grow with files of hard shapes.

    python -m tests.benchmark.shapes [--sizes KB...] [--large] [SHAPE...]

Of each shape four files are made, each twice as large as the one before, and with `--large` one of
5 MB. Each is linted in a process of its own; what counts is the CPU time that the linter takes for
it, and the most memory that the process has had. The exponent is that of a power of the size that
fits the times best: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tests.benchmark.cost import load_what_loads_late
from tests.benchmark.shapes import SHAPES, Shape
from torchdev_lint.checking import check_file
from torchdev_lint.report import Task
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.discovery import Target

MAX_EXPONENT = 1.2
MAX_SECONDS = 2.0
"""For a file of 100 KB."""
MAX_MEGABYTES = 200.0
"""For a file of 100 KB."""
MAX_SECONDS_LARGE = 10.0
"""For a file of 5 MB."""

_LARGE = 5_000
_FORK = multiprocessing.get_context("fork")
_SHORTEST = 0.05
"""Times below are noise, and say nothing of growth."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one file took.

    Args:
        characters: how large it is.
        seconds: CPU time; infinite if it was given up.
        said: how many findings there were, or why it was not analysed.
    """

    characters: int
    seconds: float
    megabytes: float
    said: str


def main() -> None:
    """Measure, and print a line a shape."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="which shapes (default: all)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[25, 50, 100, 200], metavar="KB")
    parser.add_argument("--large", action="store_true", help="also files of 5 MB")
    parser.add_argument("--patience", type=int, default=60, metavar="S", help="when to give up")
    options = parser.parse_args()
    if unknown := [name for name in options.shapes if name not in SHAPES]:
        parser.error(f"no such shape: {', '.join(unknown)}")
    shapes = [SHAPES[name] for name in options.shapes or SHAPES]
    sizes = [*options.sizes, *([_LARGE] if options.large else [])]
    print(f"{len(shapes)} shapes; CPU seconds by size in KB, MB of memory for {sizes[-1]} KB")
    print(f"{'':32}" + "".join(f"{size:>8}" for size in sizes) + "      MB exponent  said")
    load_what_loads_late()
    missed = sum(_tell(shape, sizes, options) for shape in shapes)
    print(f"{missed} of {len(shapes)} shapes miss a bar")
    sys.exit(missed > 0)


def _tell(shape: Shape, sizes: Sequence[int], options: argparse.Namespace) -> bool:
    """Measure one shape, print its line, and say whether it misses a bar."""
    costs = measured(shape, sizes, options.patience)
    growth = exponent(costs[: len(options.sizes)])
    missed = _missed(costs, growth)
    times = "".join(f"{cost.seconds:8.2f}" for cost in costs)
    times += " " * 8 * (len(sizes) - len(costs))
    shown = f"{growth:8.2f}" if growth is not None else "       -"
    line = f"{shape.name:32}{times}{costs[-1].megabytes:8.0f} {shown}  {costs[-1].said}"
    print(line + (f"  MISSED: {', '.join(missed)}" if missed else ""), flush=True)
    return bool(missed)


def measured(shape: Shape, sizes: Sequence[int], patience: int) -> list[Cost]:
    """Measure files of one shape, up to one that takes too long."""
    costs: list[Cost] = []
    for size in sizes:
        costs.append(_cost(shape.of_size(1_000 * size), patience))
        if costs[-1].seconds == math.inf:
            break
    return costs


def exponent(costs: Sequence[Cost]) -> float | None:
    """The exponent that fits best; None if all is too short to tell."""
    points = [
        (math.log(cost.characters), math.log(cost.seconds))
        for cost in costs
        if _SHORTEST < cost.seconds < math.inf
    ]
    if len(points) < 2:
        return None
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / spread if spread else None


def _missed(costs: Sequence[Cost], growth: float | None) -> list[str]:
    """Which bars are missed."""
    missed = []
    if growth is not None and growth > MAX_EXPONENT:
        missed.append("exponent")
    for cost in costs:
        at_100_kb = 100_000 / cost.characters
        if cost.characters < 300_000 and cost.seconds * min(at_100_kb, 1) > MAX_SECONDS:
            missed.append("time")
        if cost.characters < 150_000 and cost.megabytes > MAX_MEGABYTES:
            missed.append("memory")
        if cost.characters > 1_000_000 and cost.seconds > MAX_SECONDS_LARGE:
            missed.append("time of the large file")
    return list(dict.fromkeys(missed))


def _cost(text: str, patience: int) -> Cost:
    """Measure one file in a process of its own, which has loaded all that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "shape.py")
        path.write_text(text)
        mine, others = _FORK.Pipe()
        process = _FORK.Process(target=_measure, args=(path, patience, others))
        process.start()
        others.close()
        try:
            seconds, megabytes, said = mine.recv()
        except EOFError:  # the limit has ended it
            seconds, megabytes, said = math.inf, math.nan, "given up"
        process.join()
    return Cost(len(text), seconds, megabytes, said)


def _measure(path: Path, patience: int, connection: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))
    before = time.process_time()
    report = check_file(Task(Target(str(path), named=True), BY_DEFAULT))
    seconds = time.process_time() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    said = report.problem.message if report.problem else f"{len(report.findings)} found"
    connection.send((seconds, megabytes, said))


if __name__ == "__main__":
    main()
