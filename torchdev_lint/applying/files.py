"""Fixing one file of a run."""

from __future__ import annotations

import os

from torchdev_lint import signals
from torchdev_lint.applying.apply import Fixed, fix_version
from torchdev_lint.applying.difference import difference
from torchdev_lint.applying.edit import Text
from torchdev_lint.applying.offered import offered
from torchdev_lint.applying.version import Version, analysed
from torchdev_lint.applying.write import WriteError, replace_file
from torchdev_lint.change import CannotEdit, Fix, Replace
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.records import replace
from torchdev_lint.report import Fixing, Repairs, Task
from torchdev_lint.sifting.sieve import Sifted
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.source import Source
from torchdev_lint.stack import on_own_stack


def fix_file(
    source: Source, task: Task, fixing: Fixing
) -> tuple[Version, tuple[Finding, ...], Repairs]:
    """Fix a file, and write it if that is wanted.

    Args:
        source: the file as it was read.
        task: where it is, and what holds for it; its source knows how it is shown to the user.
        fixing: how to fix.

    Returns:
        The file as it is afterwards, the findings to report in it, with what could still mend
        them, and what was done.

    Raises:
        SourceError: it can't be parsed.
    """
    target, settings = task.target, task.settings
    done, sifted = _fixed(source, settings, fixing)
    ours = [finding for finding in done.findings if done.end.key(finding) not in done.spared]
    repairs = Repairs(len(ours), done.fixed, done.withdrawn, sifted=sifted)
    changed = done.source.data != source.data
    failure = ""
    if target.outside and changed:
        failure = "leads out of the folder; only where it is named itself is it followed"
    elif not fixing.write:
        diff = difference(source.path, source.data, done.source.data)
        return done.start, (), replace(repairs, diff=diff)
    elif target.path == STDIN:
        repairs = replace(repairs, output=done.source.data)
    # What is left is what these fixes don't mend.
    end = replace(done.end, findings=tuple(ours))
    left = offered(end, settings, fixing.unsafe, [None] * len(ours)).findings
    if changed and not failure and target.path != STDIN:
        if fixing.told:
            signals.block()
        try:
            real = target.real or os.path.realpath(target.path)
            replace_file(real, source.data, done.source.data)
        except WriteError as error:
            failure = str(error)
    if failure:
        before = offered(done.start, settings, fixing.unsafe, done.mends).findings
        before = tuple(found for n, found in enumerate(before) if n not in sifted.aside)
        failed = Repairs(len(before), failure=f"cannot be fixed: {failure}", sifted=sifted)
        return done.start, before, failed
    return done.end, left, repairs


@on_own_stack
def _fixed(source: Source, settings: Settings, fixing: Fixing) -> tuple[Fixed, Sifted]:
    """Return what a file becomes, and which findings in it are left aside."""
    start = analysed(source, settings)
    lines = {each.span.line: source.written[each.span.line - 1] for each in start.findings}
    sifted = fixing.sieve.sifted(source.path, start.findings, lines, source.cells)
    return fix_version(start, settings, fixing.unsafe, sifted.aside), sifted


def placed_edits(source: Source, fix: Fix | None) -> tuple[Replace, ...] | None:
    """Return what a fix replaces, by lines and columns; None if it can't be done."""
    if fix is None:
        return None
    text = Text(source)
    try:
        return tuple(text.told(edit) for edit in text.edits(fix))
    except CannotEdit:
        return None
