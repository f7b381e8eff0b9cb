"""Linting many files: one after the other or in several processes, always in the same order.

What is known of a file from an earlier run is not found out again; where all are known, nothing is
imported that could find out anything.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from functools import partial
from importlib import import_module

from torchdev_lint import signals
from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.runs import Request, known
from torchdev_lint.garbage import note_file
from torchdev_lint.report import ONLY_LINT, FileReport, StandardInput, Task, Work
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import SourceError, mentions_torch, read_bytes

# Starting processes costs about as much as linting so many files.
_FILES_WORTH_A_PROCESS = 16


def check_files(
    tasks: Sequence[Task],
    jobs: int | None = None,
    stdin: StandardInput | None = None,
    work: Work = ONLY_LINT,
    timeout: float | None = None,
    cache: Cache | None = None,
    late: Callable[[FileReport], None] | None = None,
) -> Generator[FileReport, None, None]:
    """Lint files and yield their reports in the order of the files.

    A file over which a process dies, or that takes too long, is a problem like others. Processes
    that are still at work end when the iterator is closed.

    Args:
        tasks: the files, each with what holds for it.
        jobs: how many processes to use; None: as many as the work is worth, up to one a CPU.
        stdin: what to take in place of the file `-`.
        work: what to do besides linting.
        timeout: how many seconds a file may take; None: as long as it wants to, and where one job
            is enough, this process does it.
        cache: what is known from earlier runs; None: nothing, and nothing is kept.
        late: takes the reports of files that were done when the iterator is closed before their
            turn has come.
    """
    done = {
        number: report
        for number, task in enumerate(tasks)
        if (report := _at_once(task, stdin, work, cache)) is not None
    }
    rest = [task for number, task in enumerate(tasks) if number not in done]
    reports = _checked(rest, jobs, stdin, work, timeout, cache, late)
    try:
        for number in range(len(tasks)):
            yield done.pop(number) if number in done else next(reports)
    finally:
        reports.close()


def _at_once(
    task: Task,
    stdin: StandardInput | None,
    work: Work,
    cache: Cache | None,
) -> FileReport | None:
    """Return the report of a file for which nothing has to be found out.

    That is one of which it is known, or one that was found in a folder and doesn't mention PyTorch.
    """
    report = None
    if cache is not None and not (stdin is not None and stdin.failure):
        report = known(cache, Request.for_task(task, stdin, work))
    if report is None and not task.target.named:
        path = task.target.path
        try:
            return None if mentions_torch(read_bytes(path)) else FileReport(path)
        except SourceError:  # whoever lints it will say so
            return None
    return report


def _checked(
    tasks: Sequence[Task],
    jobs: int | None,
    stdin: StandardInput | None,
    work: Work,
    timeout: float | None,
    cache: Cache | None,
    late: Callable[[FileReport], None] | None,
) -> Generator[FileReport, None, None]:
    """Lint files of which nothing is known."""
    if not tasks:
        return
    if jobs is None:
        jobs = min(_usable_cpus(), len(tasks) // _FILES_WORTH_A_PROCESS)
    jobs = max(1, min(jobs, len(tasks)))
    if jobs > 1:  # else each process would import it
        import_module("torchdev_lint.checking")
        import_module("torchdev_lint.placement.analysis")
    do = partial(check, stdin=stdin, work=work, cache=cache)
    if jobs == 1 and timeout is None:
        for task in tasks:
            try:
                yield do(task)
            finally:  # also where nobody asks for another one, as after the last
                if work.fixing is not None and work.fixing.told:
                    signals.unblock()
        return
    from torchdev_lint.processes.pool import Pool

    def failed(task: Task, reason: str) -> FileReport:
        path = task.target.path
        if stdin is not None and path == STDIN:
            path = stdin.name
        return FileReport(path, problem=Problem(path, reason, kind="not-analysed"))

    yield from Pool(do, failed, jobs, timeout, late).results(tasks)


def check(task: Task, stdin: StandardInput | None, work: Work, cache: Cache | None) -> FileReport:
    """Lint or fix one file, in whatever process."""
    # Imported late: on many runs there is nothing to do, and who only waits for it needs nothing.
    from torchdev_lint.checking import check_file

    report = check_file(task, stdin=stdin, work=work, cache=cache)
    note_file()
    return report


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
