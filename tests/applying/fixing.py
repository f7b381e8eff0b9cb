"""Helpers for the tests of fixes."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures import Fixture
from torchdev_lint.applying.apply import Fixed, fix_source
from torchdev_lint.applying.edit import Edit, Text
from torchdev_lint.change import CannotEdit
from torchdev_lint.finding import Finding
from torchdev_lint.linter import lint
from torchdev_lint.report import Fixing, Task, Work
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.runner import check_files
from torchdev_lint.source.discovery import discover
from torchdev_lint.source.source import Source


def fixed(data: bytes | str, unsafe: bool = False) -> Fixed:
    """Fix a program."""
    raw = data.encode() if isinstance(data, str) else data
    return fix_source(Source.from_bytes(raw, "program.py"), EVERY_RULE, unsafe)


def fixed_text(text: str, unsafe: bool = False) -> str:
    """Fix a program, and return its text."""
    return fixed(text, unsafe).source.data.decode()


def fixed_copy(fixture: Fixture, folder: Path, unsafe: bool) -> tuple[Fixture, list[Finding]]:
    """Fix a copy of a fixture, in all its files, as the command does.

    It gets a folder of its own: those that lie in one folder are one program to the linter.

    Args:
        fixture: what to fix.
        folder: where the copy goes.
        unsafe: whether to apply unsafe fixes too.

    Returns:
        The copy, and what is left to be found in it.
    """
    copy = fixture.copied_to(folder / fixture.root.stem)
    targets, _ = discover([str(copy.root)])
    tasks = [Task(target, EVERY_RULE) for target in targets]
    reports = list(check_files(tasks, jobs=1, work=Work(Fixing(unsafe))))
    assert not [report.problem for report in reports if report.problem]
    return copy, [finding for report in reports for finding in report.findings]


def all_edits(source: Source, unsafe: bool = True) -> list[tuple[Edit, ...]]:
    """Return the edits of each fixable finding."""
    edits: list[tuple[Edit, ...]] = []
    text = Text(source)
    for finding in lint(source, source.parse(), EVERY_RULE):
        fix = finding.fix_for(unsafe)
        if fix is None:
            continue
        try:
            edits.append(text.edits(fix))
        except CannotEdit:
            continue
    return edits
