"""Execution of statements: control flow, and the join of branches. Loops are in `loops`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from torchdev_lint.placement.defects.conversions import note_filled
from torchdev_lint.placement.defects.failing import ends_path, ends_with, raises_in_place
from torchdev_lint.placement.defects.mistaken import note_unpacking
from torchdev_lint.placement.defects.rebuilt import may_turn_gradients_off
from torchdev_lint.placement.domain.branches import Chosen
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.joins import join
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.settings import Settings
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Const,
    DeviceValue,
    Place,
    Unknown,
    Value,
)
from torchdev_lint.placement.evidence import failures
from torchdev_lint.placement.evidence.conditions import join_unplaced
from torchdev_lint.placement.interpreter.batches import unpacked_by_its_moves
from torchdev_lint.placement.interpreter.calls import statement_call
from torchdev_lint.placement.interpreter.correlation import note_choices
from torchdev_lint.placement.interpreter.definitions import define_class, define_function
from torchdev_lint.placement.interpreter.expressions import evaluate_conditional
from torchdev_lint.placement.interpreter.handling import execute_try
from torchdev_lint.placement.interpreter.imported_defaults import bring_default
from torchdev_lint.placement.interpreter.imports import import_names
from torchdev_lint.placement.interpreter.loops import continue_from, execute_for, execute_while
from torchdev_lint.placement.interpreter.lost import note_lost
from torchdev_lint.placement.interpreter.outcomes import (
    condition,
    devices_chosen,
    forget_stand_ins,
    go_on_in_doubt,
    join_of,
    narrow,
    waits,
    with_accelerator,
)
from torchdev_lint.placement.interpreter.taking_apart import tell_axes
from torchdev_lint.placement.interpreter.unknown_calls import note_builder, taken_for_module
from torchdev_lint.placement.python.assignment import assign, assign_around_star, change, delete
from torchdev_lint.placement.python.changing import can_change, share
from torchdev_lint.placement.python.given import parts_given
from torchdev_lint.placement.python.library_calls import library_called
from torchdev_lint.placement.python.operators import binary
from torchdev_lint.placement.python.type_tests import guesses
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def execute(run: Run, body: list[ast.stmt]) -> bool:
    """Execute statements in the current state.

    Returns:
        Whether control can reach the end of them.
    """
    return run.nested(_each, body)


def _each(run: Run, body: list[ast.stmt]) -> bool:
    moods = run.moods.now
    try:
        for statement in body:
            if run.budget.is_spent:
                run.frame.reads.cut_off = True
                return True
            run.budget.visited(1)
            handler = _HANDLERS.get(type(statement))
            if handler is not None and not handler(run, statement):
                return False
            if run.frame.failing is not None and ends_path(run, statement):
                return False
        return True
    finally:
        run.moods.now = moods


def _expression(run: Run, node: ast.Expr) -> bool:
    if isinstance(node.value, ast.Constant):
        return True
    statement_call(run, node.value)
    return not failures.never_returns(node.value)


def _assign(run: Run, node: ast.Assign) -> bool:
    note_lost(run, node)
    if isinstance(node.value, ast.IfExp):
        return _assign_conditional(run, node.targets, node.value)
    if len(node.targets) == 1 and assign_around_star(run, node.targets[0], node.value):
        return True
    value = unpacked_by_its_moves(run, node, run.evaluate(node.value))
    note_unpacking(run, node.targets, node.value, value)
    tell_axes(run, node.targets, node.value)
    share(value, node.value)
    for target in node.targets:
        value = parts_given(run, target, node.value, value)
        note_builder(run, target, node.value, value)
        note_filled(run, target, node.value, value)
        assign(run, target, taken_for_module(run, target, node.value, value))
    return True


def _assign_conditional(run: Run, targets: list[ast.expr], node: ast.IfExp) -> bool:
    """`x = a if test else b` is `if test: x = a` `else: x = b`."""
    value, first, second = evaluate_conditional(run, node)
    for target in targets:
        assign(run, target, value)
        if isinstance(target, ast.Name) and first != second:
            note_choices(run, node.test, {target.id: Chosen(value, first, second)})
    return True


def _annotated_assign(run: Run, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        assign(run, node.target, run.evaluate(node.value))
    return True


def _augmented_assign(run: Run, node: ast.AugAssign) -> bool:
    left, right = run.evaluate(node.target), run.evaluate(node.value)
    if raises_in_place(run, left, right):
        return False
    result = binary(run, node, (left, node.target), (right, node.value), in_place=True)
    if can_change(left):
        change(run, node.target, left, result)
    else:
        assign(run, node.target, result)
    return True


def _return(run: Run, node: ast.Return) -> bool:
    value = run.evaluate(node.value) if node.value else Const(None)
    share(value, node.value)
    if not ends_path(run, node):
        run.frame.returns.append((value, run.env))
    return False


def _raise(run: Run, node: ast.Raise) -> bool:
    return False


def _break(run: Run, node: ast.Break) -> bool:
    run.frame.breaks.append(run.env)
    return False


def _continue(run: Run, node: ast.Continue) -> bool:
    run.frame.continues.append(run.env)
    return False


def _if(run: Run, node: ast.If) -> bool:
    return _conditional(run, node, is_elif=False)


def _elif(run: Run, node: ast.If) -> bool:
    return _conditional(run, node, is_elif=True)


def _conditional(run: Run, node: ast.If, is_elif: bool) -> bool:
    verdict = condition(run, node.test)
    if run.frame.failing is not None and ends_with(run, node.test):
        return False
    if verdict is not None:
        narrow(run, node.test, verdict)
        return execute(run, node.body if verdict else node.orelse)
    is_about_devices = run.is_about_devices(node.test)
    devices = is_about_devices or guesses(run, node.test)
    may_be_stand_ins = is_elif and not node.orelse
    before = dict(run.env.names) if may_be_stand_ins else {}
    run.budget.visited(2 * len(before))
    assigned: dict[str, Value] = {}

    def then() -> bool:
        falls = _guarded(run, node, True, devices)
        if may_be_stand_ins:
            names = run.env.names.items()
            assigned.update((n, v) for n, v in names if n in before and v != before[n])
        return falls

    def otherwise() -> bool:
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            narrow(run, node.test, False)
            return run.nested(_elif, node.orelse[0])
        falls = _guarded(run, node, False, devices)
        if may_be_stand_ins:
            forget_stand_ins(run.env, assigned)
        return falls

    returned = len(run.frame.returns)
    combine = join_unplaced if devices else join_of(run, node.test)
    ends = _branches(run, [then, otherwise], combine, node)
    if is_about_devices:
        go_on_in_doubt(run, returned, ends)
    return ends > 0


def _guarded(run: Run, node: ast.If, taken: bool, devices: bool) -> bool:
    narrow(run, node.test, taken)
    moods = run.moods
    with moods.within(Mood.DOUBT, devices), moods.within(Mood.WAITING, waits(run, node)):
        falls = execute(run, node.body if taken else node.orelse)
    if falls and (node, taken) in run.frame.last_branches:
        run.frame.breaks.append(run.env)
        return False
    return falls


def _branches(
    run: Run,
    bodies: list[Callable[[], bool]],
    combine: Callable[[Value, Value], Value] = join,
    node: ast.If | None = None,
) -> int:
    """Run alternatives from one state, and join the states of those that reach their end.

    Args:
        combine: joins the values that something has in two of them.
        node: the statement, if its condition chooses between two of them.

    Returns:
        How many do.
    """
    before = run.env
    ends: list[Env] = []
    for body in bodies:
        run.env = before
        run.env = run.fork()
        if body():
            ends.append(run.env)
    run.env = before
    differing = [] if node is None else _differing(ends)
    devices = {} if node is None else devices_chosen(run, node.test, ends, differing)
    going_on = with_accelerator(ends, devices)
    continue_from(run, going_on, before, combine)
    if node is not None and len(going_on) == 2:
        run.env.names.update(devices)
        if combine is not join_unplaced:
            joined, first, second = run.env.names, ends[0].names, ends[1].names
            chosen = {n: Chosen(joined[n], first[n], second[n]) for n in differing}
            note_choices(run, node.test, chosen, node)
    return len(ends)


def _differing(ends: list[Env]) -> list[str]:
    """The variables that hold something else at the end of the other one of two branches."""
    if len(ends) != 2:
        return []
    first, second = ends[0].names, ends[1].names
    return [
        name
        for name, value in first.items()
        if name in second and value is not second[name] and value != second[name]
    ]


def _with(run: Run, node: ast.With | ast.AsyncWith) -> bool:
    before = run.env.settings
    for item in node.items:
        value = run.evaluate(item.context_expr)
        run.env.settings = _set_by_context(run, item.context_expr, value)
        if item.optional_vars is not None:
            assign(run, item.optional_vars, value)
    managers = [item.context_expr for item in node.items]
    expected = any(map(failures.expects_failure, managers))
    caught = any(map(failures.suppresses, managers))
    with run.moods.within(Mood.EXPECTED, expected), run.moods.within(Mood.CAUGHT, caught):
        falls = execute(run, node.body)
    run.env.settings = before
    return falls or (run.frame.failed and any(map(failures.may_suppress, managers)))


def _set_by_context(run: Run, context: ast.expr, value: Value) -> Settings:
    """What is set within a `with`.

    Args:
        context: the expression of the context manager.
        value: what it gives.
    """
    settings = run.env.settings
    if isinstance(value, DeviceValue):
        return replace(settings, default=value.place, lasts=False, brought=None)
    if isinstance(value, Unknown) and _names_a_device(run, context):
        settings = replace(settings, default=Place.UNKNOWN, brought=None)
    if may_turn_gradients_off(run, context, value):
        settings = replace(settings, gradients=False)
    return settings


def _names_a_device(run: Run, node: ast.expr) -> bool:
    """Whether a context manager that nothing is known of may change the default device."""
    if library_called(run, node).startswith("torch."):
        return False
    text = run.file.text_of(node).lower()
    return "device" in text or "empty_weights" in text or "fake" in text or "default" in text


def _match(run: Run, node: ast.Match) -> bool:
    subject = run.evaluate(node.subject)
    bodies: list[Callable[[], bool]] = []
    exhaustive = False
    for case in node.cases:
        bodies.append(partial(_case, run, case, subject))
        exhaustive |= (
            isinstance(case.pattern, ast.MatchAs)
            and case.pattern.pattern is None
            and case.guard is None
        )
    if not exhaustive:
        bodies.append(lambda: True)
    combine = join_unplaced if run.is_about_devices(node.subject) else join
    return _branches(run, bodies, combine) > 0


def _case(run: Run, case: ast.match_case, subject: Value) -> bool:
    run.budget.visited(run.file.size_of(case.pattern))
    for pattern in ast.walk(case.pattern):
        if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name:
            whole = pattern is case.pattern
            run.bind(pattern.name, subject if whole else UNKNOWN)
    if case.guard is not None:
        run.evaluate(case.guard)
        narrow(run, case.guard, True)
    return execute(run, case.body)


def _delete(run: Run, node: ast.Delete) -> bool:
    for target in node.targets:
        delete(run, target)
    return True


def _assert(run: Run, node: ast.Assert) -> bool:
    is_false = condition(run, node.test) is False
    if is_false and run.is_about_devices(node.test):
        return False
    narrow(run, node.test, True)
    return not isinstance(node.test, ast.Constant) or bool(node.test.value)


def _global(run: Run, node: ast.Global) -> bool:
    run.budget.visited(len(node.names))
    run.frame.global_names.update(node.names)
    return True


def _nonlocal(run: Run, node: ast.Nonlocal) -> bool:
    run.budget.visited(len(node.names))
    run.frame.nonlocal_names.update(node.names)
    return True


def _function(run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    define_function(run, node)
    return True


def _class(run: Run, node: ast.ClassDef) -> bool:
    define_class(run, node)
    return True


def _import(run: Run, node: ast.Import | ast.ImportFrom) -> bool:
    import_names(run, node)
    bring_default(run, node)
    return True


_HANDLERS: dict[type[ast.stmt], Callable[[Run, Any], bool]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.If: _if,
    ast.For: execute_for,
    ast.AsyncFor: execute_for,
    ast.While: execute_while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: execute_try,
    ast.Match: _match,
    ast.Delete: _delete,
    ast.Assert: _assert,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = execute_try
