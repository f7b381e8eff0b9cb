"""Loops, run to a fixpoint."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from torchdev_lint.catalog.ecosystem import TRANSPARENT_ITERATORS
from torchdev_lint.placement.defects.failing import ends_with
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Changing
from torchdev_lint.placement.domain.joins import join, sequence
from torchdev_lint.placement.domain.values import (
    QUOTIENT,
    WIDENED,
    Const,
    Scalar,
    ScalarKind,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.events import Extent, Skipped
from torchdev_lint.placement.interpreter.batches import batch_by_its_moves
from torchdev_lint.placement.interpreter.correlation import answered_before
from torchdev_lint.placement.interpreter.named_entries import NamedEntry, entries_changed
from torchdev_lint.placement.interpreter.outcomes import condition, narrow
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.changing import share
from torchdev_lint.placement.python.containers import gone_through
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.python.library_calls import library_called
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.last_rounds import last_branches
from torchdev_lint.syntax.rounds import names_of_parts

LoopNode: TypeAlias = "ast.For | ast.AsyncFor | ast.While"
Enter: TypeAlias = Callable[[bool], None]

MAX_ROUNDS = 3
"""How often a loop's body is run before names that still change count as unknown.

It is then run once more: what doesn't change any more by then is known all the same.
"""


_NUMBERS = {int: ScalarKind.INT, float: ScalarKind.FLOAT}

MAX_UNROLLED = 6
"""Sequences of at most this many known elements are gone through one by one."""


def execute_for(run: Run, node: ast.For | ast.AsyncFor) -> bool:
    """Run a `for` loop; see `execute` for what it returns."""
    source = gone_through(run.evaluate(node.iter))
    if run.frame.failing is not None and ends_with(run, node.iter):
        return False
    share(source)
    if isinstance(source, Sequence) and source.items == () and source.kind is SequenceKind.TUPLE:
        return run.execute(run, node.orelse)
    if isinstance(source, Sequence) and source.items and len(source.items) <= MAX_UNROLLED:
        return _unrolled(run, node, source.items)

    def enter(first: bool) -> None:
        element = element_of(run, source, node.target)
        counted = _first_count(run, node.iter) if first else None
        if counted is not None:
            element = counted if not isinstance(element, Sequence) else _counted(element, counted)
        assign(run, node.target, batch_by_its_moves(run, node, element))

    named = entries_changed(run, node)
    counts = _first_count(run, node.iter) is not None
    return _loop(run, enter, node, counts) and _entry_by_entry(run, node, named)


def _entry_by_entry(
    run: Run, node: ast.For | ast.AsyncFor, entries: tuple[NamedEntry, ...]
) -> bool:
    """Run the body for entries with names: no other round changes what these hold."""
    run.env.paths.update({entry.path: entry.value for entry in entries})
    return not entries or _unrolled(run, node, tuple(entry.target for entry in entries))


def _counted(element: Sequence, count: Value) -> Sequence:
    """What `enumerate` gives first."""
    return element if element.items is None else sequence([count, *element.items[1:]], element.kind)


def _first_count(run: Run, source: ast.expr) -> Value | None:
    """The number with which `range` or `enumerate` begins, None if it is neither."""
    if not isinstance(source, ast.Call) or not source.args or source.keywords:
        return None
    name = library_called(run, source)
    if name in TRANSPARENT_ITERATORS:
        return _first_count(run, source.args[0])
    position = {"builtins.range": 0, "builtins.enumerate": 1}.get(name)
    if position is None:
        return None
    given = len(source.args) > 1
    start = run.evaluate(source.args[position]) if given else Const(0)
    return start if isinstance(start, Const) and type(start.value) is int else None


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
    if condition(run, node.test) is False:
        return run.execute(run, node.orelse)

    asked_before = run.env.outcomes

    def enter(first: bool) -> None:
        run.evaluate(node.test)
        narrow(run, node.test, True)

    if not _loop(run, enter, node):
        return False
    run.env.outcomes = answered_before(run, node.test, asked_before)
    # What held when it began need not hold behind it: `done = False`, `while not done:`
    if _has_break(node.body):
        return True
    narrow(run, node.test, False)
    return condition(run, node.test) is not True


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


def _loop(run: Run, enter: Enter, node: LoopNode, counts: bool = False) -> bool:
    """Run a loop's body until the state at its head no longer changes.

    In the first round, code under a condition about what changes from round to round may not be
    reached: whether something fails there the second round decides.

    The second iteration begins where the first one ended: what the first replaces, such as a
    stand-in that a flag tells apart, is not seen by the second.

    The state after the loop is that of one that ran at least once: what the body moves is
    moved. A loop over nothing leaves nothing behind that could fail.

    Args:
        enter: binds the loop's target; told whether this is the first round.
        counts: whether the first round is run for the first number, so that it says nothing of
            the other ones.
    """
    frame = run.frame
    outer = (frame.breaks, frame.continues, frame.nest_limit, frame.last_branches)
    frame.last_branches = last_branches(node) if isinstance(node, ast.For) else frozenset()
    if frame.nest_limit is None:
        frame.nest_limit = run.budget.nest_limit(run.file.size_of(node))
    head, after, left = _rounds(run, enter, node, counts)
    frame.breaks, frame.continues, frame.nest_limit, frame.last_branches = outer
    normal = bool(after)
    if after:
        continue_from(run, after[1:] if counts and len(after) > 1 else after, head)
        normal = run.execute(run, node.orelse)
    elif not left:
        run.env = head
        return not frame.failed
    return continue_from(run, [*([run.env] if normal else []), *left], head)


def _rounds(
    run: Run, enter: Enter, node: LoopNode, counts: bool
) -> tuple[Env, list[Env], list[Env]]:
    """Run a loop's body again and again, within the budgets.

    Args:
        counts: whether the first round says nothing of the other ones.

    Returns:
        The state at the loop's head, those at the ends of the rounds, and those at each `break`.
        Where the head still changes when the budget is spent, what changes is unknown.
    """
    head, after, left = run.env, list[Env](), list[Env]()
    bound = run.env.names
    changing = Changing(run.file.changed_by(node), run.file.chooses(node), names_of_parts(node))
    for number in range(MAX_ROUNDS + 1):
        held_back = run.held_back
        ends, broken = _round(run, head, enter, node, changing if number == 0 else None)
        if not ends and run.held_back > held_back:  # there is no second round to decide
            ends, broken = _round(run, head, enter, node, None)
        left.extend(broken)
        after.extend(ends)
        if not ends:
            return head, after, left
        joined = after[0]
        for end in after[1:]:
            joined = run.join_states(joined, end)
        joined = _without_counts(head, _without_first_bound(run, joined, bound, node))
        if number == MAX_ROUNDS:
            joined = run.join_states(head, joined)
        run.budget.visited(len(head.names) + len(head.heap))
        is_alike = number > 0 or not counts
        if is_alike and run.held_back == held_back and _same(run, joined, head, node):
            return head, after, left
        head = _without_changing(head, joined) if number == MAX_ROUNDS - 1 else joined
        if run.frame.nest_limit is not None and run.budget.used_here > run.frame.nest_limit:
            reason = "the budget of its loops is spent"
            run.note(Skipped(node, run.frame.scope, reason, Extent.ROUNDS))
            break
    return head, [_widened(end, after[0]) for end in after[-1:]], left


def _without_first_bound(run: Run, head: Env, bound: Mapping[str, Value], node: LoopNode) -> Env:
    """Leave out variables that a round may read, and that nothing but a round has bound.

    The first round would have failed there: every path that gets by binds them anew, unless the
    first round alone does so (`if i == 0:`).
    """
    first = [n for n in run.file.carried_by(node) if n not in bound and n in head.names]
    if not first:
        return head
    env = head.fork()
    for name in first:
        del env.names[name]
    run.frame.bound_by_rounds.update(first)
    return env


def _without_counts(earlier: Env, later: Env) -> Env:
    """Forget which number a variable or attribute is that a round has changed: it goes on so.

    What asks for one of many (`step % 100 == 0`) is run in the next round then.
    """
    names = dict(_counts(earlier.names, later.names))
    heap = {}
    if later.heap is not earlier.heap:
        for ref, obj in later.heap.items():
            before = earlier.heap.get(ref)
            if before is not None and before is not obj:
                if counts := dict(_counts(before.attrs, obj.attrs)):
                    heap[ref] = obj.with_attributes({**obj.attrs, **counts})
    if not names and not heap:
        return later
    env = later.fork()
    env.names.update(names)
    env.heap = {**env.heap, **heap}
    return env


def _counts(
    earlier: Mapping[str, Value], later: Mapping[str, Value]
) -> Iterator[tuple[str, Scalar]]:
    """Yield the numbers that have changed, by what they are called."""
    for name, value in later.items():
        before = earlier.get(name)
        if before is value or before == value or _kind_of(before) is None:
            continue
        kinds = {_kind_of(option) for option in alternatives(value)}
        if None not in kinds:
            whole = kinds == {ScalarKind.INT}
            yield name, Scalar(ScalarKind.INT if whole else ScalarKind.FLOAT)


def _kind_of(value: Value | None) -> ScalarKind | None:
    """The kind of a number, None for anything else."""
    if isinstance(value, Const):
        return _NUMBERS.get(type(value.value))
    if value == QUOTIENT:
        return ScalarKind.FLOAT
    return value.kind if isinstance(value, Scalar) and value.kind in _NUMBERS.values() else None


def _round(
    run: Run, head: Env, enter: Enter, node: LoopNode, changing: Changing | None
) -> tuple[list[Env], list[Env]]:
    """Run a loop's body once.

    Args:
        head: the state in which the round begins.
        enter: binds the loop's target; told whether this is the first round.
        changing: what the loop changes, if this is the first round of several.

    Returns:
        The states at the round's ends, and at each `break`.
    """
    frame = run.frame
    frame.breaks, frame.continues = [], []
    run.env = head
    run.env = run.fork()
    if changing is not None:
        frame.changing.append(changing)
    try:
        enter(changing is not None)
        falls = run.execute(run, node.body)
    finally:
        if changing is not None:
            frame.changing.pop()
    return [*([run.env] if falls else []), *frame.continues], frame.breaks


def _same(run: Run, first: Env, second: Env, node: LoopNode) -> bool:
    """Whether a round does the same in two states: it sees only what it doesn't bind before."""
    if first.paths != second.paths or first.heap != second.heap:
        return False
    if run.frame.defines:  # functions see the variables, too
        return first.names == second.names
    carried = run.file.carried_by(node)
    return all(first.names.get(name) == second.names.get(name) for name in carried)


def _without_changing(earlier: Env, later: Env) -> Env:
    """Make unknown what one round more has changed at a loop's head, so that the next may not."""
    env = later.fork()
    for name, value in later.names.items():
        if earlier.names.get(name) != value:
            env.names[name] = WIDENED
    return env


def _widened(last: Env, earlier: Env) -> Env:
    for name, value in last.names.items():
        if name in earlier.names and earlier.names[name] != value:
            last.names[name] = WIDENED
    return last


def continue_from(
    run: Run, ends: list[Env], fallback: Env, combine: Callable[[Value, Value], Value] = join
) -> bool:
    """Go on from where branches end.

    Args:
        ends: the states of those branches that reach their end.
        fallback: the state to leave behind if none does.
        combine: joins the values that something has in two of them.

    Returns:
        Whether any does.
    """
    if not ends:
        run.env = fallback
        return False
    joined = ends[0]
    for end in ends[1:]:
        joined = run.join_states(joined, end, combine)
    run.env = joined
    return True
