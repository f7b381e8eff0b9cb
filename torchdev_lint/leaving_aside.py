"""A run that leaves something aside, and one that writes down what will be."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from torchdev_lint import signals
from torchdev_lint.report import FileReport, Task
from torchdev_lint.sifting.baseline import Held, held, written
from torchdev_lint.sifting.sieve import Sieve
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.shown import count, from_here


def sifted(
    tasks: Sequence[Task],
    reports: Iterable[FileReport],
    sieve: Sieve,
    say: Callable[[Problem], None],
) -> Iterator[FileReport]:
    """Yield reports without what is left aside, and say at the end what is gone from the baseline.

    Args:
        tasks: the files.
        reports: what came out of each, in the same order.
        sieve: what findings are left aside by.
        say: takes what is gone.
    """
    seen, codes = dict[str, Counter[Held]](), dict[str, Sequence[str]]()
    for task, report in zip(tasks, reports, strict=True):
        kept = report if report.repairs is not None else report.sifted(sieve)
        if report.problem is None:
            path = os.path.abspath(report.path)
            seen[path], codes[path] = Counter(kept.held), task.settings.rules
        yield kept
    baseline = sieve.baseline
    if baseline is None:
        return
    for name, entry, number in baseline.stale(seen, codes):
        times = "" if number == 1 else f", {number} times"
        message = f"is stale: {name} has no {entry} any more{times}"
        say(Problem(baseline.path, message, severity="warning"))


def write_baseline(path: str, reports: Iterable[FileReport]) -> bool:
    """Write down what is found, and say how much that is.

    Args:
        path: the file to write.
        reports: what came out of each file.

    Returns:
        Whether every file was linted.

    Raises:
        OSError: it can't be written.
    """
    found, problems = dict[str, Counter[Held]](), list[Problem]()
    for report in reports:
        if report.problem is not None:
            problems.append(report.problem)
        counts = Counter(held(finding, report.lines) for finding in report.findings)
        found[os.path.abspath(report.path)] = counts
    for problem in problems:
        print(problem, file=sys.stderr)
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    text = written(folder, found)
    with signals.blocked(), open(path, "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
    number = sum(map(Counter.total, found.values()))
    print(f"Wrote {count(number, 'finding')} to {from_here(os.path.abspath(path))}.")
    return not problems
