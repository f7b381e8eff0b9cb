"""Linting many files: one after the other or in several processes, always in the same order."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from torchdev_lint.finding import Finding, Skip
from torchdev_lint.garbage import not_collected
from torchdev_lint.linter import facts_of, findings_in, skipped_in
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.source.problem import Problem, internal_error
from torchdev_lint.source.source import (
    Source,
    SourceError,
    TooLarge,
    mentions_torch,
    read_bytes,
    require_python,
)
from torchdev_lint.stack import on_own_stack
from torchdev_lint.suppression import unsuppressed

if TYPE_CHECKING:
    from torchdev_lint.applying.files import Fixing, Repairs
    from torchdev_lint.applying.version import Version
    from torchdev_lint.fixes.change import Replace

# Starting processes costs about as much as linting so many files.
_FILES_WORTH_A_PROCESS = 16


@dataclass(frozen=True, slots=True)
class FileReport:
    """What came out of one file.

    Args:
        path: the path as it is shown to the user.
        findings: what was found, by position, less what comments silence.
        lines: the text of the lines that the findings talk about, by number.
        problem: why the file could not be linted, or not be written.
        edits: for each finding what its fix replaces, if that was asked for.
        repairs: what was done to it, if it was to be fixed.
        skipped: what was not looked at to its end, if that was asked for.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    lines: dict[int, str] = field(default_factory=dict)
    problem: Problem | None = None
    edits: tuple[tuple[Replace, ...] | None, ...] = ()
    repairs: Repairs | None = None
    skipped: tuple[Skip, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """What to do with each file.

    Args:
        fixing: how to fix it; None: only lint it.
        edits: whether reports say what the fixes would replace.
        unsafe: whether unsafe fixes are offered, or applied, as well.
        skipped: whether reports say what was not looked at to its end.
    """

    fixing: Fixing | None = None
    edits: bool = False
    unsafe: bool = False
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class StandardInput:
    """What to lint where the user wrote `-`.

    Args:
        data: the bytes that were read.
        name: the path to show.
        failure: why they could not be read.
    """

    data: bytes
    name: str
    failure: str = ""

    def read(self) -> bytes:
        """Return the bytes.

        Raises:
            SourceError: they could not be read.
        """
        if self.failure:
            raise SourceError(self.failure)
        return self.data


def check_file(
    target: Target,
    rules: Sequence[Rule],
    stdin: StandardInput | None = None,
    work: Work = Work(),  # it can't change
) -> FileReport:
    """Lint one file, or fix it.

    A file that was found in a folder and doesn't mention PyTorch isn't parsed.

    Args:
        target: the file.
        rules: the rules to ask.
        stdin: what to take in place of the file `-`.
        work: what to do besides linting.
    """
    path = target.path
    try:
        if stdin is not None and path == STDIN:
            path = stdin.name
            data = stdin.read()
        else:
            data = read_bytes(path)
        if target.named:
            require_python(path, data)
        if not target.named and not mentions_torch(data):
            return FileReport(path)
        source = Source.from_bytes(data, path)
        if work.fixing is not None and mentions_torch(data):
            return _fix(source, target, path, rules, work)
        return _report(source, path, *_lint(source, rules, work.unsafe), work)
    except TooLarge as error:
        if not target.named and not mentions_torch(error.beginning):
            return FileReport(path)
        return FileReport(path, problem=Problem(path, error.message))
    except SourceError as error:
        return FileReport(path, problem=Problem(path, error.message, error.line, error.column))
    except (RecursionError, MemoryError):
        return FileReport(path, problem=Problem(path, "nested too deeply to be analysed"))
    except Exception as error:
        return FileReport(path, problem=Problem(path, internal_error(error)))


@on_own_stack
def _lint(
    source: Source, rules: Sequence[Rule], unsafe: bool
) -> tuple[tuple[Finding, ...], tuple[Skip, ...]]:
    """Return what is found in a file, each finding with its fix, and what was not looked at."""
    found, skipped, version = _found(source, rules)
    if version is None:
        return found, skipped
    # Imported late: most files have nothing to be fixed.
    from torchdev_lint.applying.offered import offered

    return offered(version, rules, unsafe), skipped


@not_collected()
def _found(
    source: Source, rules: Sequence[Rule]
) -> tuple[tuple[Finding, ...], tuple[Skip, ...], Version | None]:
    """Return what is found in a file, what was not looked at, and all of it if there is a fix."""
    tree = source.parse()
    facts = facts_of(source, tree, rules) if source.mentions_torch() else None
    if facts is None:
        return (), (), None
    found = tuple(unsuppressed(source, findings_in(facts, rules)))
    skipped = skipped_in(facts)
    if not any(finding.fix_for(unsafe=True) for finding in found):
        return found, skipped, None
    from torchdev_lint.applying.version import version_of

    return found, skipped, version_of(source, tree, facts, found)


def _fix(
    source: Source, target: Target, path: str, rules: Sequence[Rule], work: Work
) -> FileReport:
    from torchdev_lint.applying.files import fix_file

    assert work.fixing is not None
    after, found, repairs = fix_file(source, target, rules, work.fixing)
    report = _report(after.source, path, found, after.skipped, work)
    problem = Problem(path, repairs.failure) if repairs.failure else None
    return replace(report, repairs=repairs, problem=problem)


def _report(
    source: Source,
    path: str,
    found: tuple[Finding, ...],
    skipped: tuple[Skip, ...],
    work: Work,
) -> FileReport:
    edits: tuple[tuple[Replace, ...] | None, ...] = ()
    if work.edits and found:
        from torchdev_lint.applying.files import placed_edits

        edits = tuple(placed_edits(source, finding.fix) for finding in found)
    lines = _lines_of(source, found)
    return FileReport(path, found, lines, edits=edits, skipped=skipped if work.skipped else ())


def check_files(
    targets: Sequence[Target],
    rules: Sequence[Rule],
    jobs: int | None = None,
    stdin: StandardInput | None = None,
    work: Work = Work(),  # it can't change
    timeout: float | None = None,
) -> Generator[FileReport, None, None]:
    """Lint files and yield their reports in the order of the files.

    A file over which a process dies, or that takes too long, is a problem like others. Processes
    that are still at work end when the iterator is closed.

    Args:
        targets: the files.
        rules: the rules to ask.
        jobs: how many processes to use; None: as many as the work is worth, up to one a CPU.
        stdin: what to take in place of the file `-`.
        work: what to do besides linting.
        timeout: how many seconds a file may take; None: as long as it wants to, and where one job
            is enough, this process does it.
    """
    if jobs is None:
        jobs = min(_usable_cpus(), len(targets) // _FILES_WORTH_A_PROCESS)
    jobs = max(1, min(jobs, len(targets)))
    check = partial(check_file, rules=rules, stdin=stdin, work=work)
    if not targets or (jobs == 1 and timeout is None):
        yield from map(check, targets)
        return
    from torchdev_lint.processes.pool import Pool

    def failed(target: Target, reason: str) -> FileReport:
        path = target.path if stdin is None or target.path != STDIN else stdin.name
        return FileReport(path, problem=Problem(path, reason))

    yield from Pool(check, failed, jobs, timeout).results(targets)


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lines_of(source: Source, findings: Sequence[Finding]) -> dict[int, str]:
    spans = [finding.span for finding in findings]
    related = [place for finding in findings for place in finding.related]
    spans += [place.span for place in related if place.path is None]
    numbers = {span.line for span in spans if span.line <= len(source.lines)} if spans else ()
    return {number: source.lines[number - 1] for number in numbers}
