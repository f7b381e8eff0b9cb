"""Silencing what is found in a file by comments, as `--add-noqa` does."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence

from torchdev_lint.applying.edit import Text, apply_edits
from torchdev_lint.applying.write import WriteError, replace_file
from torchdev_lint.change import CannotEdit, Fix
from torchdev_lint.finding import Finding
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.source.source import Source, SourceError, read_bytes
from torchdev_lint.stack import on_own_stack
from torchdev_lint.suppression.adding import noqa_for
from torchdev_lint.suppression.suppressions import Suppressions


class CannotSilence(Exception):
    """The file was left as it was."""


def silence_file(target: Target, findings: Sequence[Finding]) -> None:
    """Add comments to a file that silence findings, and change nothing else.

    Args:
        target: the file.
        findings: what was found in it.

    Raises:
        CannotSilence: that can't be done.
    """
    if target.path == STDIN:
        raise CannotSilence("is standard input")
    if target.outside:
        raise CannotSilence("leads out of the folder; only where it is named itself is it followed")
    try:
        before = Source.from_bytes(read_bytes(target.path), target.path)
        _, after = silencing(before, findings)
        replace_file(target.real or os.path.realpath(target.path), before.data, after.data)
    except (CannotEdit, WriteError, SourceError) as error:
        raise CannotSilence(str(error)) from None


@on_own_stack
def silencing(source: Source, findings: Sequence[Finding]) -> tuple[Fix, Source]:
    """Return what puts comments into a file that silence findings in it, and the file with them.

    Raises:
        CannotEdit: it would be another program, or something would not be silenced.
        SourceError: it can't be parsed.
    """
    fix = Fix("Silence it", "safe", tuple(noqa_for(source, findings)))
    after = apply_edits(source, Text(source).edits(fix))
    comments = Suppressions(after)
    loud = [f for f in findings if not comments.silences(f.code, f.name, f.span.line)]
    if loud:
        raise CannotEdit(f"no comment silences {loud[0].code} in line {loud[0].span.line}")
    if ast.dump(source.parse()) != ast.dump(after.parse()):
        raise CannotEdit("with comments it would be another program")
    return fix, after
