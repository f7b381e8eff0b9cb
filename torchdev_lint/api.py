"""The interface for programs: findings, and what fixes make of a text, as Python objects.

It finds and mends what the command does, by the same settings. Nothing is printed, no result is
kept for later runs, and files are only read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from torchdev_lint.checking import check_file
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.finding import Finding
from torchdev_lint.records import dataclass
from torchdev_lint.report import ONLY_LINT, FileReport, Fixing, StandardInput, Task, Work
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.runner import check_files
from torchdev_lint.source.discovery import STDIN, Target, discover
from torchdev_lint.source.source import Source, encoded


class CannotCheck(Exception):
    """A text can't be linted: it is no Python, or the analysis gave up."""


@dataclass(frozen=True, slots=True)
class FixedSource:
    """A text after fixing.

    Args:
        text: the text as it should be; the one that was given, if nothing could be mended.
        fixed: the findings that are gone.
        left: the findings that are still there, with their places in the new text.
    """

    text: str
    fixed: tuple[Finding, ...]
    left: tuple[Finding, ...]


def check(
    paths: Iterable[str | os.PathLike[str]], *, isolated: bool = False, jobs: int | None = 1
) -> tuple[FileReport, ...]:
    """Lint files and folders, as the command does.

    Args:
        paths: files, and folders of which the Python files are linted.
        isolated: whether files of settings are not looked at.
        jobs: how many processes to use; None: as many as the work is worth, up to one a CPU.

    Returns:
        A report for each file, by path, also for those without findings. What could not be read or
        parsed has a `problem`.

    Raises:
        torchdev_lint.config.problem.SettingsProblem: something is wrong in a file of settings.
    """
    configurations = Configurations((), isolated=isolated)
    targets, problems = discover([os.fspath(path) for path in paths], configurations.leaves_out)
    tasks = [
        Task(target, configurations.settings_of(os.path.abspath(target.path), ALL_RULES))
        for target in targets
    ]
    lost = (FileReport(problem.path, problem=problem) for problem in problems)
    return (*lost, *check_files(tasks, jobs))


def check_source(
    text: str, filename: str = "source.py", *, isolated: bool = False
) -> tuple[Finding, ...]:
    """Lint a text.

    Args:
        text: the text of a Python file.
        filename: where it lies, or would: its imports are followed from there, and the settings
            there hold. There need be no such file.
        isolated: whether files of settings are not looked at.

    Returns:
        What was found, by position.

    Raises:
        CannotCheck: the text is no Python, or the analysis gave up.
        torchdev_lint.config.problem.SettingsProblem: something is wrong in a file of settings.
    """
    return report_on(text, filename, isolated, ONLY_LINT).findings


def fix_source(
    text: str, filename: str = "source.py", *, unsafe: bool = False, isolated: bool = False
) -> FixedSource:
    """Fix a text. No file is changed.

    Args:
        text: the text of a Python file.
        filename: where it lies, or would, as for `check_source`.
        unsafe: whether unsafe fixes are applied as well.
        isolated: whether files of settings are not looked at.

    Raises:
        CannotCheck: the text is no Python, or the analysis gave up.
        torchdev_lint.config.problem.SettingsProblem: something is wrong in a file of settings.
    """
    report = report_on(text, filename, isolated, Work(Fixing(unsafe)))
    repairs = report.repairs
    if repairs is None or repairs.output is None:
        return FixedSource(text, (), report.findings)
    return FixedSource(
        Source.from_bytes(repairs.output, filename).text, repairs.fixed, report.findings
    )


def report_on(text: str, filename: str, isolated: bool, work: Work) -> FileReport:
    """Return all that comes out of a text, for what stands on this interface.

    Raises:
        CannotCheck: the text is no Python, or the analysis gave up.
        torchdev_lint.config.problem.SettingsProblem: something is wrong in a file of settings.
    """
    configurations = Configurations((), isolated=isolated)
    settings = configurations.settings_of(os.path.abspath(filename), ALL_RULES)
    task = Task(Target(STDIN, named=True), settings)
    report = check_file(task, StandardInput(encoded(text), filename), work)
    if report.problem is not None:
        raise CannotCheck(str(report.problem))
    return report
