"""With what the other files of a project call the functions and classes of the file at hand.

Only what stays what it is counts: devices and other constants, losses and whatever else has no
state, data loaders, models that were moved. One that wasn't may have been, in place, and a tensor
may change on the way.
"""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Choice,
    Const,
    DeviceValue,
    DtypeValue,
    Instance,
    Library,
    Loader,
    Place,
    Scalar,
    Value,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.interpreter.imports import frame_of
from torchdev_lint.placement.python.arguments import evaluate_arguments
from torchdev_lint.placement.run import Run
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of
from torchdev_lint.proof.grounds import grounds_of
from torchdev_lint.syntax.walking import walk

_MAX_CALLS = 8
"""How many calls are looked at."""
_MAX_STEPS = 4
"""Over how many variables it is followed what an argument is."""
_LITERALS = (ast.Dict, ast.List, ast.Tuple)
"""Containers that nobody else can have changed, as they are written where they are given."""


def called_with(run: Run, name: str) -> list[Arguments]:
    """Return what a definition is called with; nothing if not all is known that calls it.

    Args:
        name: that of a function or class at the top of the file at hand, which doesn't call it
            itself: what it does is run as it stands.
    """
    file = parsed_file(context_of(run.main).path) if context_of(run.main).path else None
    if file is None:
        return []
    calls: list[tuple[ParsedFile, ast.Call]] = []
    for user, node in uses_of(file, Definition(file.path, name)):
        call = user.syntax.parent(node)
        if not isinstance(call, ast.Call) or call.func is not node or user is file:
            return []
        calls.append((user, call))
    return [_evaluated(run, *call) for call in calls] if len(calls) <= _MAX_CALLS else []


def agreed(run: Run, calls: list[Arguments], position: int, name: str) -> Value:
    """Return what all calls give for a parameter, in one of them each; unknown if one doesn't say.

    Args:
        calls: their arguments.
        position: the parameter's, counted behind the object itself.
        name: the parameter's.
    """
    options: list[Value] = []
    for given in calls:
        value = UNKNOWN if given.open_ended else given.get(position, name) or UNKNOWN
        options.append(_as_it_stays(run, value, given.node(position, name)))
    return UNKNOWN if not options or UNKNOWN in options else choice(options)


def _evaluated(run: Run, user: ParsedFile, call: ast.Call) -> Arguments:
    """The arguments of a call in another file; nothing is noted of what happens there."""
    module = frame_of(run, user.path)
    if module is None:
        return Arguments(open_ended=True)
    env = Env({}, run.env.heap, settings=module.env.settings)
    frame = Frame(user.syntax.scope(call), "", False, env, module.file, (module,))
    frames = run.frames
    run.frames = [frames[0], frame]
    try:
        with run.moods.within(Mood.EXPECTED):
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                _bind_names(run, user, argument, _MAX_STEPS)
            return evaluate_arguments(run, call)
    finally:
        run.frames = frames
        run.env.heap = frame.env.heap


def _bind_names(run: Run, user: ParsedFile, expression: ast.expr, steps: int) -> None:
    """Bind the variables that an expression reads, as far as one assignment says what they hold.

    Args:
        steps: over how many more of them that is followed.
    """
    grounds, own = user.derived(grounds_of), run.env.names
    for node in walk(expression):
        if not isinstance(node, ast.Name) or node.id in own:
            continue
        values = grounds.values.values(node.id, node) if steps else []
        options: list[Value] = []
        for value in values:
            _bind_names(run, user, value, steps - 1)
            options.append(run.evaluate(value))
        if options:
            own[node.id] = choice(options)
        elif grounds.bindings.owner(node.id, node) not in {None, user.tree}:
            own[node.id] = UNKNOWN


def _as_it_stays(run: Run, value: Value, node: ast.AST | None) -> Value:
    """A value as far as it is the same wherever it is used later."""
    if isinstance(value, (Sequence, Mapping)):
        return value if isinstance(node, _LITERALS) and _stays(run, value) else UNKNOWN
    return value if _stays(run, value) else UNKNOWN


def _stays(run: Run, value: Value) -> bool:
    """Whether nothing can be done to a value that changes what is known of it."""
    if isinstance(value, (Choice, Mapping, Sequence)):
        return all(_stays(run, part) for part in parts_of(value) if part != MISSING)
    if isinstance(value, Instance):
        obj = run.obj(value)
        return obj.module and (obj.stateful is False or obj.place is Place.ACCELERATOR)
    kinds = (Const, Scalar, DeviceValue, DtypeValue, Library, Loader)
    return isinstance(value, kinds) and value != NONE
