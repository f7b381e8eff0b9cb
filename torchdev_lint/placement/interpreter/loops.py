"""Loops, run to a fixpoint."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.placement.domain.environment import Env, join_environments
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    WIDENED,
    Sequence,
    Value,
    join,
)
from torchdev_lint.placement.evidence.conditions import join_unplaced
from torchdev_lint.placement.interpreter.expressions import condition, narrow
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.iteration import element_of

MAX_ROUNDS = 3
"""How often a loop's body is run before names that still change count as unknown."""


MAX_UNROLLED = 6
"""Sequences of at most this many known elements are gone through one by one."""


def execute_for(run: Run, node: ast.For | ast.AsyncFor) -> bool:
    """Run a `for` loop; see `execute` for what it returns."""
    source = run.evaluate(node.iter)
    if isinstance(source, Sequence) and source.items == () and source.kind == "tuple":
        return run.execute(run, node.orelse)
    if isinstance(source, Sequence) and source.items and len(source.items) <= MAX_UNROLLED:
        return _unrolled(run, node, source.items)
    return _loop(run, lambda: assign(run, node.target, element_of(run, source, node.target)), node)


def _unrolled(run: Run, node: ast.For | ast.AsyncFor, items: tuple[Value, ...]) -> bool:
    """Run the body once for each known element."""
    frame = run.frame
    outer = (frame.breaks, frame.continues)
    left: list[Env] = []
    reached = True
    for item in items:
        frame.breaks, frame.continues = [], []
        assign(run, node.target, item)
        falls = run.execute(run, node.body)
        left.extend(frame.breaks)
        ends = [*([run.env] if falls else []), *frame.continues]
        reached = continue_from(run, ends, run.env)
        if not reached:
            break
    frame.breaks, frame.continues = outer
    if reached:
        reached = run.execute(run, node.orelse)
    ends = [*([run.env] if reached else []), *left]
    return continue_from(run, ends, run.env)


def execute_while(run: Run, node: ast.While) -> bool:
    """Run a `while` loop; see `execute` for what it returns."""
    verdict = condition(run, node.test)
    if verdict is False:
        return run.execute(run, node.orelse)

    def enter() -> None:
        run.evaluate(node.test)
        narrow(run, node.test, True)

    falls = _loop(run, enter, node)
    return falls and not (verdict is True and not _has_break(node.body))


def _has_break(body: list[ast.stmt]) -> bool:
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.ClassDef)):
            continue
        for field in ("body", "orelse", "finalbody"):
            if _has_break(getattr(statement, field, [])):
                return True
        for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            if _has_break(part.body):
                return True
    return False


def _loop(run: Run, enter: Callable[[], None], node: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Run a loop's body until the state at its head no longer changes.

    The second iteration begins where the first one ended: what the first replaces, such as a
    stand-in that a flag tells apart, is not seen by the second.

    The state after the loop is that of one that ran at least once: what the body moves is
    moved. A loop over nothing leaves nothing behind that could fail.
    """
    frame = run.frame
    outer = (frame.breaks, frame.continues)
    head, after, left = run.env, [], []
    for _ in range(MAX_ROUNDS):
        frame.breaks, frame.continues = [], []
        run.env = head.fork()
        enter()
        falls = run.execute(run, node.body)
        ends = [*([run.env] if falls else []), *frame.continues]
        left.extend(frame.breaks)
        after.extend(ends)
        if not ends:
            break
        joined = after[0]
        for end in after[1:]:
            joined = join_environments(joined, end)
        if _same(joined, head):
            break
        head = joined
    else:
        after = [_widened(env, after[0]) for env in after[-1:]]
    frame.breaks, frame.continues = outer
    normal = bool(after)
    if after:
        continue_from(run, after, head)
        normal = run.execute(run, node.orelse)
    elif not left:
        run.env = head
        return True
    return continue_from(run, [*([run.env] if normal else []), *left], head)


def _same(first: Env, second: Env) -> bool:
    return first.names == second.names and first.paths == second.paths and first.heap == second.heap


def _widened(last: Env, earlier: Env) -> Env:
    for name, value in last.names.items():
        if name in earlier.names and earlier.names[name] != value:
            last.names[name] = WIDENED
    return last


def continue_from(run: Run, ends: list[Env], fallback: Env, about_devices: bool = False) -> bool:
    """Go on from where branches end.

    Args:
        ends: the states of those branches that reach their end.
        fallback: the state to leave behind if none does.
        about_devices: whether the condition that chose among them is about devices.

    Returns:
        Whether any does.
    """
    if not ends:
        run.env = fallback
        return False
    joined = ends[0]
    for end in ends[1:]:
        joined = join_environments(joined, end, join_unplaced if about_devices else join)
    run.env = joined
    return True
