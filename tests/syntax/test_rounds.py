"""What a round of a loop takes from the round before."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from torchdev_lint.syntax.rounds import chooses, read_before_bound

LOOPS = [
    ("for x in xs: y = f(x); z = y", {"f"}),
    ("for x in xs: h = layer(h)", {"h", "layer"}),
    ("for x in xs: total += x", {"total"}),
    ("while n: n = step(n)", {"n", "step"}),
    (
        """
        for x in xs:
            if x:
                y = 1
            else:
                y = 2
            print(y)
        """,
        {"print"},
    ),
    (
        """
        for x in xs:
            if x:
                y = 1
            print(y)
        """,
        {"print", "y"},
    ),
    (
        """
        for x in xs:
            if x:
                continue
            else:
                y = 1
            print(y)
        """,
        {"print"},
    ),
    (
        """
        for x in xs:
            for y in x:
                last = y
            print(last)
        """,
        {"print", "last"},
    ),
    (
        """
        for x in xs:
            with no_grad():
                y = x
            print(y)
        """,
        {"print", "no_grad"},
    ),
    (
        """
        for x in xs:
            try:
                y = f(x)
            except ValueError:
                pass
            print(y)
        """,
        {"print", "f", "ValueError", "y"},
    ),
]


@pytest.mark.parametrize(("code", "read"), LOOPS)
def test_what_a_round_reads_before_it_binds_it(code: str, read: set[str]) -> None:
    """Only a variable that is bound on all ways to its use is the round's own."""
    (loop,) = ast.parse(dedent(code)).body
    assert isinstance(loop, (ast.For, ast.While))
    assert read_before_bound(loop) == read


CHOOSING = [
    ("for x in xs:\n    if x: f(x)", True),
    ("for x in xs:\n    y = x.name\n    if y: f(y)", True),
    ("for x in xs:\n    if x: f(x)\n    else: g(x)", False),
    ("for x in xs:\n    if x: f(x)\n    g(x)", False),
    ("for x in xs:\n    y = g(x)\n    if y: f(y)", False),
    ("for x in xs:\n    kept.last = x\n    if x: f(kept)", False),
    ("for x in xs:\n    last = now\n    now = x\n    if x: f(last)", False),
    ("while n:\n    if n: f(n)", False),
]


@pytest.mark.parametrize(("code", "does"), CHOOSING)
def test_a_loop_that_only_chooses(code: str, does: bool) -> None:
    (loop,) = ast.parse(code).body
    assert isinstance(loop, (ast.For, ast.While))
    assert (chooses(loop) is not None) == does
