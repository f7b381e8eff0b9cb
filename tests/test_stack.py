"""Deep code gives the same on any stack, and the host keeps its recursion limit."""

from __future__ import annotations

import ast
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf
from statistics import median
from typing import TypeVar

import pytest

from torchdev_lint.checking import check_file
from torchdev_lint.flake8_plugin import Checker
from torchdev_lint.linter import lint
from torchdev_lint.report import FileReport, StandardInput, Task, Work
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.source.source import Source
from torchdev_lint.stack import on_new_stack, on_own_stack

Result = TypeVar("Result")

HEAD = "import torch\n\nx = torch.ones(3)\n"
END = "x.cuda()\n"
FORWARD = """\
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        m = torch.ones(3, requires_grad={})
        return x.relu() + m
"""
DEEP = {
    "a chain of 300 calls": f"{HEAD}y = x{'.relu()' * 300}\n{END}y.cuda()\n",
    "a chain of 900 attributes": f"{HEAD}y = x{'.T' * 900}\n{END}",
    "a chain of 900 subscripts": f"{HEAD}y = x{'[0]' * 900}\n{END}",
    "a chain of calls in forward": FORWARD.format("True") + "        m" + ".relu()" * 150 + "\n",
    "600 elifs": f"{HEAD}if x is None: pass\n" + "elif x: y = x + 1\n" * 600 + END,
    "900 minus signs": f"{HEAD}y = {'-' * 900}x\n{END}",
    "900 lambdas": f"{HEAD}y = {'lambda: ' * 900}x\n{END}",
    "900 conditions": f"{HEAD}y = {'x if x else ' * 900}x\n{END}",
    "a sum of 2,000 terms": f"{HEAD}y = {' + '.join(['x'] * 2000)}\n{END}",
    "90 blocks": HEAD
    + "".join(f"{' ' * n}if x:\n" for n in range(90))
    + f"{' ' * 90}x.cuda()\n{END}",
    "calls in blocks": HEAD
    + "".join(
        f"def f{n}(a):\n    if a:\n        for i in range(3):\n            with a:\n"
        f"                while a:\n                    return f{n + 1}(a)\n"
        for n in range(30)
    )
    + f"def f30(a): return a\nf0(x).cuda()\n{END}",
    "not, 900 times in an argument": FORWARD.format("not " * 900 + "x"),
    "and, 3,000 times in an argument": FORWARD.format(" and ".join("1" * 3000)),
    "900 subscripts in an argument": FORWARD.format("x" + "[0]" * 900),
    "more than the parser takes": f"{HEAD}{END}y = x{'.relu()' * 9000}\n",
}
"""Code that nests deep; where it can be parsed, it has findings."""


def at_depth(depth: int, function: Callable[..., Result], *arguments: object) -> Result:
    """Call a function from so deep that little of the stack is left."""
    if depth == 0:
        return function(*arguments)
    return at_depth(depth - 1, function, *arguments)


def room() -> int:
    """How much deeper than here Python may recurse, less what a call needs."""
    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    return sys.getrecursionlimit() - used - 60


def check(text: str, unsafe: bool) -> FileReport:
    return check_file(
        Task(Target(STDIN, named=True), BY_DEFAULT),
        StandardInput(text.encode(), "a.py"),
        Work(unsafe=unsafe),
    )


def found_by_plugin(text: str, tree: ast.Module) -> list[str]:
    return [message for _, _, message, _ in Checker(tree, text.splitlines(True), "a.py").run()]


@pytest.mark.parametrize("name", DEEP)
def test_the_same_from_any_depth(name: str) -> None:
    shallow = check(DEEP[name], False)
    assert at_depth(room(), check, DEEP[name], False) == shallow
    if shallow.problem is None:
        assert shallow.findings
    else:
        assert shallow.problem.message == "nested too deeply for Python's parser"


@pytest.mark.parametrize("name", DEEP)
def test_the_same_in_flake8(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = check(DEEP[name], False)
    if report.problem is not None:
        pytest.skip("flake8 can't parse it either")
    expected = [f"{finding.code} {finding.message}" for finding in report.findings]
    tree = on_new_stack(lambda: ast.parse(DEEP[name]))
    assert found_by_plugin(DEEP[name], tree) == expected
    assert at_depth(room(), found_by_plugin, DEEP[name], tree) == expected
    assert capsys.readouterr().err == ""


def test_what_is_deep_is_followed() -> None:
    report = check(DEEP["a chain of 300 calls"], False)
    assert [(f.code, f.span.line) for f in report.findings] == [("TDL001", 5), ("TDL001", 6)]


def test_the_limit_of_the_process_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it belongs to the host")

    monkeypatch.setattr(sys, "setrecursionlimit", refuse)
    monkeypatch.setattr(threading, "stack_size", refuse)
    for text in DEEP.values():
        check(text, True)


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    for text in DEEP.values():
        check(text, True)
    assert threading.active_count() == before


def test_without_threads_it_goes_as_deep_as_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none)
    source = Source.from_text(f"{HEAD}{END}y = x{'.relu()' * 900}\n", "a.py")
    (finding,) = lint(source, source.parse(), BY_DEFAULT)
    assert finding.span.line == 4


def test_what_is_raised_comes_out() -> None:
    @on_own_stack
    def fail(number: int, *, by: int) -> int:
        return number // by

    assert fail(6, by=2) == 3
    with pytest.raises(ZeroDivisionError):
        fail(6, by=0)


def _seconds(depth: int) -> float:
    """How long calls take that are made so deep in a stack, at best."""
    if depth:
        return _seconds(depth - 1)
    best = inf
    for _ in range(3):
        began = time.thread_time()
        for _ in range(1_000):
            _nothing()
        best = min(best, time.thread_time() - began)
    return best


def _nothing() -> None:
    pass


def test_no_depth_takes_much_longer_than_others() -> None:
    """Where memory for frames is taken and given back with each call, that is thirty times."""
    taken = [on_new_stack(partial(_seconds, depth)) for depth in range(250)]
    assert max(taken) < 8 * median(taken)
