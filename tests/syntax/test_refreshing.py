"""What an object makes again is told from the conditions around the calls."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.syntax.refreshing import made_whole, outgrown


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        ("if n > self.length:\n    self._make(n)", {"length"}),
        ("if self.table.size(0) < n:\n    self._make(n)", {"table"}),
        ("if n > self.length:\n    if n < 9:\n        self._make(n)", {"length"}),
        ("if self.table.device != x.device:\n    self._make(n)", None),
        ("if n > self.length or self.stale:\n    self._make(n)", None),
        ("if n > self.length:\n    pass\nelse:\n    self._make(n)", None),
        ("if n > self.length:\n    self._make(n)\nself._make(n)", None),
        ("if n > self.length:\n    self._make(n)\nhook(self._make)", None),
        ("self._make(n)", None),
    ],
)
def test_what_is_asked_before_something_is_made_again(code: str, asked: set[str] | None) -> None:
    assert outgrown(ast.parse(code)).get("_make") == asked


@pytest.mark.parametrize(
    ("code", "is_whole"),
    [
        ("self._make(longest)", True),
        ("self._make(512, device=device)", True),
        ("self._make(0)", False),
        ("self._make(length=1)", False),
        ("self._make(True)", True),
        ("self._other(3)", False),
    ],
)
def test_what_is_made_for_nothing_is_to_be_outgrown(code: str, is_whole: bool) -> None:
    assert ("_make" in made_whole(list(ast.walk(ast.parse(code))))) is is_whole
