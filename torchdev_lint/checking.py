"""Linting one file, or fixing it: what went wrong stays with the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchdev_lint.cache.runs import Request, keep
from torchdev_lint.catalog.told import told
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding, Revealed, Skip
from torchdev_lint.garbage import not_collected
from torchdev_lint.linter import facts_of, findings_in, judged, parsed, skipped_in
from torchdev_lint.project.files import content_of
from torchdev_lint.project.seen import saw_file, state_of, watching
from torchdev_lint.records import replace
from torchdev_lint.report import ONLY_LINT, FileReport, StandardInput, Task, Work
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.cells import cell_at
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.problem import Problem, internal_error
from torchdev_lint.source.shown import count
from torchdev_lint.source.source import (
    OtherLanguage,
    Source,
    SourceError,
    TooLarge,
    mentions_torch,
    read_bytes,
    require_python,
)
from torchdev_lint.stack import on_own_stack
from torchdev_lint.suppression.suppressions import unsuppressed
from torchdev_lint.suppression.unknown import unknown_in

if TYPE_CHECKING:
    from torchdev_lint.applying.version import Version
    from torchdev_lint.cache.cache import Cache
    from torchdev_lint.change import Replace


_ASKS = b"reveal_device"
"""What a file holds that asks where a value lives."""


def check_file(
    task: Task,
    stdin: StandardInput | None = None,
    work: Work = ONLY_LINT,
    cache: Cache | None = None,
) -> FileReport:
    """Lint one file, or fix it.

    A file that was found in a folder and doesn't mention PyTorch isn't parsed.

    Args:
        task: the file, and what holds for it.
        stdin: what to take in place of the file `-`.
        work: what to do besides linting.
        cache: where to keep what comes out of it.
    """
    if cache is None:
        return _checked(task, stdin, work)[0]
    with watching() as seen:
        report, data = _checked(task, stdin, work.with_all())
    if data is not None:
        keep(cache, Request.for_task(task, stdin, work), data, seen, report)
    return report.wanted(work)


def _checked(
    task: Task, stdin: StandardInput | None, work: Work
) -> tuple[FileReport, bytes | None]:
    """Lint or fix one file.

    Returns:
        What came out of it, and the bytes that it comes out of each time; None: that may differ.
    """
    target = task.target
    path, data = target.path, None
    try:
        if stdin is not None and path == STDIN:
            path = stdin.name
            data = stdin.read()
        else:
            data = _read(path)
        return _report_on(data, path, task, work), data
    except TooLarge as error:
        if not target.named and not mentions_torch(error.beginning):
            return FileReport(path), None
        return FileReport(path, problem=Problem(path, error.message)), None
    except SourceError as error:
        place = error.line, error.column, error.kind
        problem = Problem(path, error.message, *place, cell=error.cell)
        return FileReport(path, problem=problem), data
    except (RecursionError, MemoryError):
        problem = Problem(path, "nested too deeply to be analysed", kind="not-analysed")
        return FileReport(path, problem=problem), None
    except Exception as error:
        problem = Problem(path, internal_error(error), kind="internal-error")
        return FileReport(path, problem=problem), None


def _read(path: str) -> bytes:
    """Read the file, and note what it held."""
    state = state_of(path)
    data = read_bytes(path)
    saw_file(os.path.abspath(path), content_of(state, data))
    return data


def _report_on(data: bytes, path: str, task: Task, work: Work) -> FileReport:
    target, settings = task.target, task.settings
    if target.named:
        require_python(path, data)
    if not target.named and not mentions_torch(data):
        return FileReport(path)
    try:
        source = Source.from_bytes(data, path)
    except OtherLanguage:
        if target.named:
            raise
        return FileReport(path)
    with told(settings.told):
        if work.fixing is not None and mentions_torch(data):
            return _fix(source, task, path, work)
        found, skipped, untried = _lint(source, settings, work.unsafe)
        report = _report(source, task, path, found, skipped, work)
    return _with_untried(report, untried)


def _with_untried(report: FileReport, untried: int) -> FileReport:
    """Add of how many findings no fix was tried, which is too much work where nothing is fixed."""
    if not untried:
        return report
    message = f"what would mend {count(untried, 'finding')} is tried only where the file is fixed"
    problem = Problem(report.path, message, severity="warning")
    return replace(report, warnings=(*report.warnings, problem))


@on_own_stack
def _lint(
    source: Source, settings: Settings, unsafe: bool
) -> tuple[tuple[Finding, ...], tuple[Skip, ...], int]:
    """Return what is found in a file, each finding with its fix, and what was not looked at.

    The last is of how many findings no fix was tried.
    """
    found, skipped, version = _found(source, settings)
    if version is None:
        return found, skipped, 0
    # Imported late: most files have nothing to be fixed.
    from torchdev_lint.applying.offered import offered

    offer = offered(version, settings, unsafe)
    return offer.findings, skipped, offer.untried


@not_collected()
def _found(
    source: Source, settings: Settings
) -> tuple[tuple[Finding, ...], tuple[Skip, ...], Version | None]:
    """Return what is found in a file, what was not looked at, and all of it if there is a fix."""
    tree = parsed(source)
    facts = facts_of(source, tree, settings) if source.mentions_torch() else None
    found = tuple(unsuppressed(source, findings_in(source, facts, settings)))
    skipped = skipped_in(facts)
    if not any(finding.fix_for(unsafe=True) for finding in found):
        return found, skipped, None
    from torchdev_lint.applying.version import version_of

    return found, skipped, version_of(source, tree, facts, found)


def _fix(source: Source, task: Task, path: str, work: Work) -> FileReport:
    from torchdev_lint.applying.files import fix_file

    assert work.fixing is not None
    after, found, repairs = fix_file(source, task, work.fixing)
    report = _report(after.source, task, path, found, after.skipped, work)
    problem = Problem(path, repairs.failure) if repairs.failure else None
    return replace(report, repairs=repairs, problem=problem, held=repairs.sifted.held)


def _report(
    source: Source,
    task: Task,
    path: str,
    found: tuple[Finding, ...],
    skipped: tuple[Skip, ...],
    work: Work,
) -> FileReport:
    edits: tuple[tuple[Replace, ...] | None, ...] = ()
    if work.edits and found:
        from torchdev_lint.applying.files import placed_edits

        edits = tuple(placed_edits(source, finding.fix) for finding in found)
    found = judged(source, found, task.settings)
    lines = _lines_of(source, found, edits)
    return FileReport(
        path,
        found,
        lines,
        edits=edits,
        skipped=skipped if work.skipped else (),
        warnings=tuple(_told(source, each) for each in unknown_in(source, ALL_RULES)),
        revealed=_revealed(source),
        cells=source.cells,
    )


def _told(source: Source, problem: Problem) -> Problem:
    """Return a problem on a line of a program, of a notebook's on one of a cell."""
    cell = cell_at(source.cells, problem.line or 1)
    if cell is None or problem.line is None:
        return problem
    return replace(problem, line=problem.line - cell.line + 1, cell=cell.number)


def _revealed(source: Source) -> tuple[Revealed, ...]:
    """Return what is known of the values that a file asks about."""
    if _ASKS not in source.data:
        return ()
    # Imported late: hardly any file asks.
    from torchdev_lint.known.revealed import revealed_in

    return revealed_in(source)


def _lines_of(
    source: Source, findings: Sequence[Finding], edits: Sequence[Sequence[Replace] | None]
) -> dict[int, str]:
    """Return the lines that are shown: where findings and related places begin, and all edits."""
    spans = [finding.span for finding in findings]
    related = [place for finding in findings for place in finding.related]
    spans += [place.span for place in related if place.path is None]
    numbers = {span.line for span in spans}
    for edit in (edit for fix in edits for edit in fix or ()):
        numbers.update(range(edit.span.line, edit.span.end_line + 1))
    lines = source.written if numbers else ()
    return {number: lines[number - 1] for number in sorted(numbers) if number <= len(lines)}
