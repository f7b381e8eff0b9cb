"""What must hold for the fixes of any file."""

from __future__ import annotations

import ast
import warnings

from torchdev_lint.fixes.apply import fix_source
from torchdev_lint.fixes.edit import apply_edits
from torchdev_lint.linter import lint
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source import Source, SourceError
from torchdev_lint.suppression import unsuppressed

from ..fixing import all_edits


def check_fixes(data: bytes, unsafe: bool) -> int:
    """Fix a file and check the result.

    Args:
        data: the file.
        unsafe: whether to apply unsafe fixes too.

    Returns:
        How many findings were fixed; -1 if the file is no Python.

    Raises:
        AssertionError: something that must hold does not.
    """
    try:
        source = Source.from_bytes(data, "file.py")
        source.parse()
    except SourceError:
        return -1
    _check_single_edits(source, unsafe)
    result = fix_source(source, ALL_RULES, unsafe)
    after = result.source
    assert Source.from_bytes(after.data, "file.py").text == after.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(after.data)
    left = unsuppressed(after, lint(after, after.parse(), ALL_RULES))
    assert list(result.findings) == left
    assert len(left) <= len(result.before)
    again = fix_source(after, ALL_RULES, unsafe)
    assert again.source.data == after.data, "a second run changes something"
    assert (after.data == source.data) == (not result.fixed)
    return len(result.fixed)


def _check_single_edits(source: Source, unsafe: bool) -> None:
    """Outside of each fix's edits, not one byte is another."""
    prefix = source.data[: len(source.data) - len(source.text.encode(_codec(source)))]
    for edits in all_edits(source, unsafe):
        data = apply_edits(source, edits).data
        start = prefix + source.text[: edits[0].start].encode(_codec(source))
        end = source.text[edits[-1].end :].encode(_codec(source))
        assert data.startswith(start)
        assert data.endswith(end)


def _codec(source: Source) -> str:
    return "utf-8" if source.encoding.startswith("utf-8") else source.encoding
