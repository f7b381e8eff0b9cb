"""What must hold for the fixes of any file."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from tests.applying.fixing import all_edits
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.applying.edit import apply_edits
from torchdev_lint.checking import check_file
from torchdev_lint.finding import Finding
from torchdev_lint.linter import lint
from torchdev_lint.report import StandardInput, Task, Work
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.source.source import Source, SourceError
from torchdev_lint.suppression.suppressions import unsuppressed

from .mutations import parses

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file turned out to be.

    Args:
        python: whether it could be read at all.
        findings: how many findings it had.
        fixed: how many of them were fixed.
        edits: how many edits were made one by one, all other bytes being looked at.
    """

    python: bool
    findings: int = 0
    fixed: int = 0
    edits: int = 0


def check_fixes(data: bytes, unsafe: bool) -> Checked:
    """Fix a file and check the result.

    Args:
        data: the file.
        unsafe: whether to apply unsafe fixes too.

    Raises:
        AssertionError: something that must hold does not.
    """
    try:
        source = Source.from_bytes(data, "file.py")
        source.parse()
    except SourceError:
        return Checked(python=False)
    edits = _check_single_edits(source, unsafe)
    result = fix_source(source, EVERY_RULE, unsafe)
    after = result.source
    assert Source.from_bytes(after.data, "file.py").text == after.text
    assert parses(after.data)
    _check_form(source, after)
    left = unsuppressed(after, lint(after, after.parse(), EVERY_RULE))
    assert list(result.findings) == left
    assert len(left) <= len(result.before)
    _check_marks(source, left, unsafe)
    again = fix_source(after, EVERY_RULE, unsafe)
    assert again.source.data == after.data, "a second run changes something"
    assert (after.data == source.data) == (not result.fixed)
    return Checked(True, len(result.before), len(result.fixed), edits)


def _check_marks(source: Source, left: list[Finding], unsafe: bool) -> None:
    """What is marked as fixable is gone once the file is fixed: only what has no mark is left."""
    report = check_file(
        Task(Target(STDIN, named=True), EVERY_RULE),
        StandardInput(source.data, "file.py"),
        Work(unsafe=unsafe),
    )
    assert report.problem is None
    unmarked = Counter(f.code for f in report.findings if f.fix_for(unsafe) is None)
    assert Counter(finding.code for finding in left) <= unmarked, "a mark that isn't true"


def _check_single_edits(source: Source, unsafe: bool) -> int:
    """Outside of each fix's edits, not one byte is another; return how many edits there are."""
    prefix = source.data[: len(source.data) - len(source.text.encode(_codec(source)))]
    every = all_edits(source, unsafe)
    for edits in every:
        expected = source.text
        for edit in reversed(edits):
            expected = expected[: edit.start] + edit.content + expected[edit.end :]
        data = apply_edits(source, edits).data
        assert data == prefix + expected.encode(_codec(source))
    return sum(map(len, every))


def _check_form(before: Source, after: Source) -> None:
    """Line endings, the end of the file, a byte order mark and the encoding are as they were."""
    kinds = set(_NEWLINE.findall(before.text))
    assert not kinds or set(_NEWLINE.findall(after.text)) <= kinds, "another line ending"
    assert before.text[-1:].isspace() == after.text[-1:].isspace(), "another end of file"
    marked = before.data.startswith(codecs.BOM_UTF8)
    assert after.data.startswith(codecs.BOM_UTF8) == marked, "another beginning of the file"
    assert after.encoding == before.encoding


def _codec(source: Source) -> str:
    return "utf-8" if source.encoding.startswith("utf-8") else source.encoding
