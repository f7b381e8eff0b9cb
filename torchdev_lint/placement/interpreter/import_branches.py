"""Which branches another file's module takes, where it binds a variable in several of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import Value
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.interpreter.outcomes import condition, device_chosen
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.branches import Branches, Condition

_MOST_ALTERNATIVES = 8
"""Of so many statements that bind a variable it is asked which of them are run."""
_MOST_CONDITIONS = 4
"""So many conditions around a statement are asked how they turn out."""


@contextmanager
def apart(run: Run, frame: Frame) -> Iterator[None]:
    """Go on in another file's module, whatever is being run at the moment."""
    frames, moods, held_back = run.frames, run.moods.now, run.held_back
    run.frames, run.moods.now = [frames[0], frame], frozenset()
    try:
        yield
    finally:
        run.frames, run.moods.now, run.held_back = frames, moods, held_back


def taken(run: Run, frame: Frame, statements: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return those of the statements that bind a variable which may be the last one that is run.

    All of them, if none is run as far as is known: then nothing is known of the variable.

    Args:
        frame: the module's.
        statements: in their order.
    """
    if not 1 < len(statements) <= _MOST_ALTERNATIVES:
        return statements
    last: list[ast.stmt] = []
    for statement in reversed(statements):
        asked = _conditions(frame, statement)
        verdict = _verdict(run, frame, asked)
        if verdict is not False:
            last.append(statement)
        if asked and verdict:
            break
    return last[::-1] or statements


def _conditions(frame: Frame, statement: ast.stmt) -> list[Condition]:
    assert isinstance(frame.node, ast.Module)
    branches: Branches = context_of(frame.file).branches(frame.node)
    return branches.conditions_of(statement, _MOST_CONDITIONS)


def _verdict(run: Run, frame: Frame, asked: list[Condition]) -> bool | None:
    """Whether all is as it has to be; None where that is not known."""
    verdict: bool | None = True
    for test, holds in asked:
        outcome = None if test is None else _outcome(run, frame, test)
        if outcome is None:
            verdict = None
        elif outcome is not holds:
            return False
    return verdict


def _outcome(run: Run, frame: Frame, test: ast.expr) -> bool | None:
    before = frame.env
    frame.env = Env(dict(before.names), {}, settings=before.settings)
    try:
        with apart(run, frame):
            return condition(run, test)
    finally:
        frame.env = before


def chosen(run: Run, frame: Frame, statements: Sequence[ast.stmt], values: list[Value]) -> Value:
    """Return what a variable holds: the device that is chosen by a condition, or one of several.

    Args:
        frame: the module's.
        statements: which may be the last one that binds it.
        values: what each binds it to.
    """
    if len(statements) == 2:
        first, second = statements
        asked = _conditions(frame, second) or _conditions(frame, first)
        test = asked[0][0] if asked else None
        if test is not None:
            with apart(run, frame):
                device = device_chosen(run, test, *values)
            if device is not None:
                return device
    return choice(values)
