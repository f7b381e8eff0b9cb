"""Which bindings reach a statement: what really runs is always among what is said to."""

from __future__ import annotations

import ast
import random
import sys
import tracemalloc
from contextlib import suppress
from types import FrameType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from torchdev_lint.syntax.blocks import Blocks
from torchdev_lint.syntax.flow import Flow
from torchdev_lint.syntax.scopes import Syntax

_LEAVES = ["see()", "x = new()", "del x", "raise ValueError", "break", "continue", "return"]
_FRAMES = [
    ("if maybe():", "else:"),
    ("if maybe():", "elif maybe():", "else:"),
    ("for _ in some():", "else:"),
    ("for x in some():",),
    ("while maybe():", "else:"),
    ("while True:",),
    ("try:", "except Exception as x:", "else:", "finally:"),
    ("try:", "except Exception:", "finally:"),
    ("try:", "finally:"),
    ("with swallowing():",),
    ("match either():", " case True:", " case x:"),
]


class Program:
    """A function of random statements, and how it is run.

    Args:
        seed: of the statements, and of what its conditions say when it runs.
    """

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        body = "\n".join(self._block(3, in_loop=False))
        self.text = "def f():\n" + _indented("see()\n" + body + "\nsee()")
        tree = ast.parse(self.text)
        function = tree.body[0]
        assert isinstance(function, ast.FunctionDef)
        syntax = Syntax(tree)
        self.bound = {_line(node): node for node in ast.walk(function) if _binds(node)}
        self._flow = Flow(
            Blocks(function.body, lambda manager: True),
            set(self.bound.values()),
            syntax.around,
            frozenset({None}),
        )
        self._statements = {
            node.lineno: node for node in ast.walk(function) if isinstance(node, ast.Expr)
        }

    def _block(self, depth: int, in_loop: bool) -> list[str]:
        return [
            line
            for _ in range(self._chance.randint(1, 3))
            for line in self._statement(depth, in_loop).splitlines()
        ] + ["see()"]

    def _statement(self, depth: int, in_loop: bool) -> str:
        if not depth or self._chance.random() < 0.4:
            leaf = self._chance.choice(_LEAVES)
            return "see()" if leaf in ("break", "continue") and not in_loop else leaf
        heads = self._chance.choice(_FRAMES)
        is_loop = heads[0].startswith(("for", "while"))
        lines: list[str] = []
        for head in heads:
            lines.append(head)
            if head.startswith("match"):  # in which only cases stand
                continue
            margin = " " * (len(head) - len(head.lstrip()))
            inner = in_loop or (is_loop and head != "else:")
            begin = ["see()"] * (head == "while True:")  # where a program that runs on is ended
            block = _indented("\n".join(begin + self._block(depth - 1, inner)))
            lines += [margin + line for line in block.splitlines()]
        return "\n".join(lines)

    def said(self, line: int) -> set[int | None]:
        """The lines of the bindings that may be in force at `see()`; None for none."""
        bound = self._flow.before(self._statements[line]) or frozenset()
        return {None if node is None else _line(node) for node in bound}


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def _line(node: ast.AST) -> int:
    assert isinstance(node, (ast.expr, ast.ExceptHandler, ast.pattern))
    return node.lineno


def _binds(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "x" and not isinstance(node.ctx, ast.Load)
    return isinstance(node, (ast.ExceptHandler, ast.MatchAs)) and node.name == "x"


class _TooLong(BaseException):
    """A program has run for long enough."""


class Run:
    """Runs a program, and writes down which binding is in force at each `see()`.

    A variable that holds something else than a line before was bound by that line.

    Args:
        program: what is run.
        seed: of what its conditions say, and of what fails.
    """

    def __init__(self, program: Program, seed: int) -> None:
        self._chance = random.Random(seed)
        self._steps = 0
        self._line = 0
        self._value: object = None
        self._bound: int | None = None
        self._lines = program.text.splitlines()
        self.seen: set[tuple[int, int | None]] = set()
        made: dict[str, Any] = {
            "see": self._fail,
            "new": object,
            "maybe": self._maybe,
            "either": lambda: self._chance.choice([True, object()]),
            "some": lambda: [object() for _ in range(self._chance.randint(0, 2))],
            "swallowing": lambda: suppress(Exception),
        }
        exec(compile(program.text, "<program>", "exec"), made)  # what it is for
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            with suppress(Exception, _TooLong):
                made["f"]()
        finally:
            sys.settrace(before)

    def _fail(self) -> None:
        if self._steps > 300:
            raise _TooLong
        if self._chance.random() < 0.1:
            raise ValueError

    def _maybe(self) -> bool:
        self._fail()
        return self._chance.random() < 0.5

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_name != "f":
            return None
        if event == "line":
            self._steps += 1
            value = frame.f_locals.get("x")
            if value is not self._value:
                self._value, self._bound = value, None if value is None else self._line
            self._line = frame.f_lineno
            if self._lines[self._line - 1].strip() == "see()":
                self.seen.add((self._line, self._bound))
        return self._trace


@settings(max_examples=200)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_what_runs_is_said(seed: int, run: int) -> None:
    program = Program(seed)
    for line, bound in Run(program, run).seen:
        assert bound in program.said(line), f"{line}: {bound}\n{program.text}"


def test_memory_is_in_proportion_to_the_statements() -> None:
    """A variable that each of many statements may bind takes no set of all of them for each."""
    count = 4_000
    tree = ast.parse(
        "for q in some():\n    try:\n        x = 1\n    finally:\n        q()\n" * count
    )
    syntax = Syntax(tree)
    bound = {n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "x"}
    blocks = Blocks(tree.body, lambda _: False)
    tracemalloc.start()
    Flow(blocks, bound, syntax.around, frozenset({None}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000 * count
