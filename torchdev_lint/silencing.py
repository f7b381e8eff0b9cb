"""`--add-noqa`: comments for all that is found, so that only what is new is reported."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from torchdev_lint.applying.silence import CannotSilence, silence_file
from torchdev_lint.report import FileReport, Task
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.shown import count


def silence_all(tasks: Sequence[Task], reports: Iterable[FileReport]) -> bool:
    """Add comments that silence what is found, and say how many findings that are.

    Args:
        tasks: the files.
        reports: what came out of each, in the same order.

    Returns:
        Whether everything is silenced.
    """
    findings, files, problems = 0, 0, list[Problem]()
    for task, report in zip(tasks, reports, strict=True):
        if report.problem is not None:
            problems.append(report.problem)
        if not report.findings:
            continue
        try:
            silence_file(task.target, report.findings)
        except CannotSilence as error:
            problems.append(Problem(report.path, f"cannot be silenced: {error}"))
        else:
            findings += len(report.findings)
            files += 1
    for problem in problems:
        print(problem, file=sys.stderr)
    if findings:
        print(f"Silenced {count(findings, 'finding')} in {count(files, 'file')}.")
    return not problems
