"""With what the other files of a project call the functions and classes of the file at hand.

Only what stays what it is counts: devices and other constants, functions, losses and whatever else
has no state, data loaders, models that were moved. One that wasn't may have been, in place, as any
object may have been changed: of these it is known which class they are of. A tensor may change on
the way.

What all calls agree on is known. Of a model that was moved, and of a loader over a data set out of
sight, one call is enough, whatever others hand over: that is what the code has to do with. So is
one for the class of a model that a module keeps, if no other call tells another class: the module
takes it along.
"""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.imported import AnyMember
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    LISTED,
    MISSING,
    NO_TENSORS,
    NONE,
    UNKNOWN,
    Choice,
    Const,
    DeviceValue,
    DtypeValue,
    Function,
    Instance,
    Library,
    Loader,
    Place,
    Scalar,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.interpreter.read_elsewhere import Reading
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.placement.run import Run
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of
from torchdev_lint.records import dataclass

OUT_OF_SIGHT = Loader(UNKNOWN)
"""A loader over a data set out of sight, built in a file that moves no batches."""
_MAX_CALLS = 8
"""How many calls are looked at."""
_LITERALS = (ast.Dict, ast.List, ast.Tuple)
"""Containers that nobody else can have changed, as they are written where they are given."""


@dataclass(frozen=True, slots=True)
class Calls:
    """With what a definition is called.

    Args:
        given: the arguments, of one call each.
        complete: whether those are all calls.
        kept_by_module: whether a module is built, which takes the models it is given with it.
    """

    given: tuple[Arguments, ...] = ()
    complete: bool = False
    kept_by_module: bool = False


def called_with(run: Run, name: str) -> Calls:
    """Return with what other files call a definition; its own is run as it stands.

    Args:
        name: that of a function or class at the top of the file at hand.
    """
    file = parsed_code(run.main)
    if file is None:
        return Calls()
    uses = uses_of(file, Definition(file.path, name))
    calls: list[tuple[ParsedFile, ast.Call]] = []
    for user, node in uses.places:
        call = user.syntax.parent(node)
        if isinstance(call, ast.Call) and call.func is node and user is not file:
            calls.append((user, call))
    complete = uses.complete and len(calls) == len(uses.places) <= _MAX_CALLS
    reading = Reading(run, file)
    with run.moods.within(Mood.EXPECTED), run.budget.abroad_in((file.path, name), ahead=True):
        return Calls(tuple(reading.arguments(*call) for call in calls[:_MAX_CALLS]), complete)


def agreed(run: Run, calls: Calls, position: int, name: str) -> Value:
    """Return what calls give for a parameter, in one of them each; unknown if they don't say.

    Args:
        calls: what is known of them.
        position: the parameter's, counted behind the object itself.
        name: the parameter's.
    """
    options: list[Value] = []
    for given in calls.given:
        value = UNKNOWN if given.open_ended else given.get(position, name) or UNKNOWN
        options.append(_as_it_stays(run, value, given.node(position, name)))
    if calls.complete and UNKNOWN not in options and _may_be_joined(run, options):
        return choice(options) if options else UNKNOWN
    every = [option for value in options for option in alternatives(value)]
    models = [o for o in every if isinstance(o, Instance) and run.obj(o).module]
    moved = [model for model in models if is_moved(run, model)]
    classes = {model.cls or model.library for model in models}
    any_does = calls.kept_by_module and len(classes) == 1
    open_loader = OUT_OF_SIGHT if OUT_OF_SIGHT in every else UNKNOWN
    return next(iter(moved or (models if any_does else [])), open_loader)


def is_left_out(calls: Calls, position: int, name: str) -> bool:
    """Return whether there are calls, all of them are known, and none gives a parameter."""
    return (
        calls.complete
        and bool(calls.given)
        and all(not c.open_ended and c.get(position, name) is None for c in calls.given)
    )


def _as_it_stays(run: Run, value: Value, node: ast.AST | None) -> Value:
    """A value as far as it is the same wherever it is used later: a tuple nobody can change.

    A list stays a list, whatever is put into it.
    """
    if isinstance(value, (Sequence, Mapping)):
        kind = value.kind if isinstance(value, Sequence) else None
        if (kind is SequenceKind.TUPLE or isinstance(node, _LITERALS)) and _stays(run, value):
            return value
        return LISTED if kind is SequenceKind.LIST else UNKNOWN
    if _stays(run, value):
        return value
    return choice([_wherever_it_is(run, option) for option in alternatives(value)])


def _may_be_joined(run: Run, options: list[Value]) -> bool:
    """Whether what calls give may be one or the other here.

    Of functions, and of modules that are to be moved, it may not: the rest of what each call gives
    goes with it.
    """
    every = {option for value in options for option in alternatives(value)}
    if any(isinstance(option, (Function, AnyMember)) for option in every):
        return len(every) == 1
    classes = {o.cls or o.library for o in every if isinstance(o, Instance)}
    return len(classes) < 2 or all(_stays(run, option) for option in options)


def _wherever_it_is(run: Run, value: Value) -> Value:
    """An object, which may be moved before it is used, or changed; it stays one of its class."""
    if is_moved(run, value):
        return value
    if not isinstance(value, Instance):
        return UNKNOWN
    if run.obj(value).module:
        let_go(run, value)
        return value
    return UNKNOWN if value.cls is None else run.allocate(Obj(Place.UNKNOWN), value.cls)


def _stays(run: Run, value: Value) -> bool:
    """Whether nothing can be done to a value that changes what is known of it."""
    if isinstance(value, (Choice, Mapping, Sequence)):
        return all(_stays(run, part) for part in parts_of(value) if part != MISSING)
    if isinstance(value, Instance):
        obj = run.obj(value)
        return obj.module and (obj.stateful is False or obj.place is Place.ACCELERATOR)
    if isinstance(value, Function):
        return value.bound is None and not value.is_nested
    kinds = (Const, Scalar, DeviceValue, DtypeValue, Library, Loader, AnyMember)
    return (isinstance(value, kinds) and value != NONE) or value in NO_TENSORS


def is_moved(run: Run, value: Value) -> bool:
    """Return whether a value is a module that the code has moved to the accelerator."""
    return isinstance(value, Instance) and run.obj(value).was_moved
