"""Names and texts of files, as they are shown to people."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchdev_lint.source.shown import shown, shown_lines, shown_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/größe 日本.py", "src/größe 日本.py"),
        ("C:\\new\\train.py", "C:\\new\\train.py"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\nb.py:1:1: TDL001 forged", "a\\nb.py:1:1: TDL001 forged"),
        ("a\rb\tc\x7f", "a\\rb\\tc\\x7f"),
        ("abc\u202egnp.py", "abc\\u202egnp.py"),
        ("a\u2028b\x85c", "a\\u2028b\\x85c"),
        ("\udcff.py", "\\udcff.py"),
        ("\U000e0041", "\\U000e0041"),
        ("##[error]no", "#\\x23[error]no"),
        ("x ##vso[task.setvariable variable=a]b", "x #\\x23vso[task.setvariable variable=a]b"),
        ("##teamcity[buildStop]", "#\\x23teamcity[buildStop]"),
        ("## a heading ##", "## a heading ##"),
    ],
)
def test_what_a_terminal_or_a_service_would_obey(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("::error file=a.py::no", "./::error file=a.py::no"),
        ("  ::error::no", "./  ::error::no"),
        ("a::b.py", "a::b.py"),
        ("/::error::no", "/::error::no"),
    ],
)
def test_what_a_line_may_begin_with(path: str, expected: str) -> None:
    assert shown_path(path) == expected


def test_ends_of_lines_and_tabs_of_a_patch_stay() -> None:
    data = b"--- a/x\n+\tx = '\x1b[2J'\r\n \xff \xc2\x9b\n+no end"
    assert shown_lines(data) == "--- a/x\n+\tx = '\\x1b[2J'\r\n \\xff \\x9b\n+no end"


@given(st.text())
def test_it_is_one_line_that_can_be_printed(text: str) -> None:
    assert shown(text).isprintable()
    assert "##[" not in shown(text)


def test_letters_of_the_world_stay() -> None:
    letters = [c for c in map(chr, range(sys.maxunicode)) if unicodedata.category(c)[0] == "L"]
    text = "".join(letters)
    assert shown(text) == text
