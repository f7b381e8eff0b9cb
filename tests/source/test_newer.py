"""Syntax of a newer Python is told from what no Python takes."""

from __future__ import annotations

import pytest

from torchdev_lint.source.newer import Version, newer_syntax


@pytest.mark.parametrize(
    ("line", "running", "needs"),
    [
        ("type Pair[T] = tuple[T, T]", (3, 11), "3.12"),
        ("    type X = int", (3, 11), "3.12"),
        ("async def first[T](items):", (3, 10), "3.12"),
        ("class Box[T]:", (3, 10), "3.12"),
        ("    except* ValueError:", (3, 10), "3.11"),
        ("print(t'{x}')", (3, 13), "3.14"),
        ("lazy import torch", (3, 14), "3.15"),
    ],
)
def test_the_first_version_that_takes_a_line(line: str, running: Version, needs: str) -> None:
    has = ".".join(map(str, running))
    assert f"needs Python {needs}, and torchdev-lint runs on {has} here" in newer_syntax(
        line, running
    )
    first = tuple(map(int, needs.split(".")))
    assert newer_syntax(line, (first[0], first[1])) == ""


@pytest.mark.parametrize(
    "line", ["x = = 1", "print 'hello'", "type(x) = 1", "def f(:", "class A", "let x = it['a']", ""]
)
def test_what_no_version_takes(line: str) -> None:
    assert newer_syntax(line, (3, 10)) == ""
