"""Running entry points, each with a budget of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from contextlib import nullcontext

from torchdev_lint.placement.defects.callers import note_returned
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.budget import EXPRESSION
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Function,
    Instance,
    Place,
    Value,
    alternatives,
)
from torchdev_lint.placement.entry_arguments import entry_arguments
from torchdev_lint.placement.evidence.host_code import asks_for_device, serves_host
from torchdev_lint.placement.facts.events import Extent, Skipped
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.frames import frame_for
from torchdev_lint.placement.python.hooks import hooked_module
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.bound_later import BoundLater
from torchdev_lint.syntax.scopes import FUNCTIONS


def guarded(run: Run, node: ast.AST, scope: str, body: Callable[[], object]) -> bool:
    """Run one entry point with a budget of its own; too deep code is left out.

    Args:
        node: the entry point.
        scope: its dotted name, empty for the module's own statements.
        body: runs it.

    Returns:
        Whether it was run to its end; where it was not, that is noted.
    """
    budget = run.budget
    around = budget.begin_entry()
    share = budget.limit - budget.used
    depth, nesting = len(run.frames), run.nesting
    reason, extent = "", Extent.REST
    try:
        body()
    except RecursionError:
        del run.frames[depth:]
        run.nesting = nesting
        reason = "it is nested too deeply"
    else:
        if budget.is_spent:
            reason = f"its budget of {share // EXPRESSION:,} expressions is spent"
            if share < EXPRESSION:
                reason, extent = of_the_file(run), Extent.FILE
    finally:
        budget.end_entry(around)
    if reason:
        run.note(Skipped(node, scope, reason, extent))
    return not reason


def of_the_file(run: Run) -> str:
    """Return why nothing of a file is run any more."""
    return f"the file's budget of {run.budget.total // EXPRESSION:,} expressions is spent"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an entry point.

    Args:
        given: the objects that came in with the arguments.
        value: what it has returned.
    """

    given: Set[int]
    value: Value


def run_entry(
    run: Run,
    function: Function,
    place: Place,
    in_forward: bool,
    keep: bool = False,
    first: Value | None = None,
) -> Outcome:
    """Run a function with arguments of which only annotations and uses tell something.

    Args:
        place: where tensors live that come in as arguments.
        keep: whether what it does to objects lasts.
        first: its first argument, where that is known.
    """
    outer = run.env
    if not keep:
        unknown = _bound_later(run, function)
        run.budget.copied(len(outer.names) if unknown else 0)
        run.env = outer.for_entry(unknown)
    frame, given = frame_for(run, function, in_forward), set[int]()
    value: Value = UNKNOWN

    def call() -> None:
        nonlocal value
        run.frames.append(frame)
        try:
            arguments = entry_arguments(run, function, place)
            if first is not None and arguments.positional:
                arguments.positional[0] = first, arguments.positional[0][1]
        finally:
            run.frames.pop()
        given.update(frame.env.heap.keys() - run.env.heap.keys())
        run.env.heap = frame.env.heap
        outermost, run.is_given = run.is_given, True
        around, run.hooks = run.hooks, []
        try:
            value = functions.call_function(run, function, arguments, in_forward=in_forward)
        finally:
            run.is_given, hooks, run.hooks = outermost, run.hooks, around
        note_returned(run, function.node, arguments, place, value)
        excuse(run, value)
        if place is Place.GIVEN:
            _run_handed_out(run, function, value)
        if place.is_device:
            _run_hooks(run, function, hooks)

    is_elsewhere = function.file is not run.main
    with run.budget.abroad_in(function.node) if is_elsewhere else nullcontext():
        if keep:
            call()
        else:
            guarded(run, _place_of(run, function), frame.scope, call)
            run.env = outer
    return Outcome(given, value)


def _bound_later(run: Run, function: Function) -> Set[str]:
    """The variables of the file that are bound anew when a function is used no more."""
    if function.file is not run.main:
        return frozenset()
    return run.facts.syntax.derived(BoundLater).than(function.node)


def _run_handed_out(run: Run, maker: Function, value: Value) -> None:
    """Run the functions that a function has defined and gives back: nobody calls them here.

    Most are called by other files, or libraries, some of which work on the host: only those are
    run that ask a tensor for its device, or tell a factory one.
    """
    for option in alternatives(value):
        if not isinstance(option, Function) or not isinstance(option.node, FUNCTIONS):
            continue
        is_its_own = option.is_nested and option.closure[0].node is maker.node
        if is_its_own and option.bound is None and asks_for_device(option.node):
            if not serves_host(option.node, run.file.data_hooks, run.file.path):
                run_entry(run, option, Place.GIVEN, in_forward=False)


def _run_hooks(run: Run, maker: Function, hooks: list[Function]) -> None:
    """Run the functions that a function has defined, and handed to modules as their hooks."""
    done = set[ast.AST]()
    for hook in hooks:
        if hook.closure[0].node is maker.node and hook.node not in done:
            done.add(hook.node)
            module = hooked_module(run)
            run_entry(run, hook, Place.GIVEN, in_forward=False, first=module)


def _place_of(run: Run, function: Function) -> ast.AST:
    """Where an entry point stands in the file; one from another file is placed at its class."""
    if function.file is run.main:
        return function.node
    assert isinstance(function.bound, Instance)
    assert function.bound.cls is not None
    return function.bound.cls.node
