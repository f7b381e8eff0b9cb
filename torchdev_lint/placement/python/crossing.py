"""What goes into calls and comes out of them: from where a value came, and to where it is brought.

A defect is mended in the file that is analysed: where a value goes from there to code of another
file, at the call that takes it there; where one comes from there, at the call that brings it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import zip_longest

from torchdev_lint.placement.defects.constants import reading
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Arguments, Crossing
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import Heap, Obj
from torchdev_lint.placement.domain.joins import choice, leaves, placeless
from torchdev_lint.placement.domain.origins import Entry, Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Choice,
    Function,
    Instance,
    Loader,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.bringing_back import brings_back
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.lacking import set_by_called
from torchdev_lint.placement.evidence.put_on_host import puts_on_host
from torchdev_lint.placement.evidence.single_results import gives_one_tensor
from torchdev_lint.placement.python.binding import positional_parameters
from torchdev_lint.placement.python.holding import bring_all_kept
from torchdev_lint.placement.python.left_behind import (
    build_elsewhere,
    build_parts_elsewhere,
    let_go,
    put_back_elsewhere,
)
from torchdev_lint.placement.python.optimizers import filled_elsewhere
from torchdev_lint.placement.python.worth_following import matters
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short

_TOLD_AT_CALL = frozenset({OriginKind.FACTORY, OriginKind.BROUGHT})
"""What another file makes, or moves to the CPU, and gives."""
CallFunction = Callable[[Run, Function, Arguments], Value]
"""Runs a function in sight."""


def entering(
    run: Run, arguments: Arguments, call: ast.Call, module: bool, across: bool = False
) -> Arguments:
    """Mark host arguments as having come in through a call, which is about to be made.

    Args:
        call: the call.
        module: whether a module on the accelerator is called, or a method of one.
        across: whether the call leads to another file.
    """
    if run.is_elsewhere:
        return arguments
    scope = run.frame.scope

    def mark(pair: tuple[Value, ast.AST]) -> tuple[Value, ast.AST]:
        value, node = pair
        if not isinstance(node, ast.expr):
            return pair
        entry = Entry(node, call, module, scope, across)
        return choice([_entered(option, entry) for option in alternatives(value)]), node

    return replace(
        arguments,
        positional=[mark(pair) for pair in arguments.positional],
        keywords={name: mark(pair) for name, pair in arguments.keywords.items()},
        bundles=[mark(pair) for pair in arguments.bundles],
    )


def left(value: Value, call: ast.Call) -> Value:
    """Forget of what a call gave that it had come in through that call."""
    options: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, (Tensor, Bundle)) and option.entered and option.entered.call is call:
            option = replace(option, entered=None)
        options.append(option)
    return choice(options)


def _entered(value: Value, entry: Entry) -> Value:
    if isinstance(value, Loader) and entry.across:
        return replace(value, batch=_taken_along(value.batch, entry))
    if not isinstance(value, (Tensor, Bundle)) or value.place is not Place.HOST:
        return value
    before = value.entered
    is_nearer = before is not None and not (before.across or before.module)
    if value.origin is None or not (before is None or is_nearer):
        return value
    leads_away = entry.module or entry.across
    if not leads_away and (before is not None or value.origin.kind is not OriginKind.BATCH):
        return value
    return replace(value, entered=entry)


def _taken_along(batch: Value, entry: Entry) -> Value:
    """Mark what a loader gives, which is on the host, as having come in with the loader."""
    if isinstance(batch, Bundle) and batch.place is Place.HOST and batch.entered is None:
        return replace(batch, entered=entry)
    if isinstance(batch, Sequence) and batch.items is not None:
        items = tuple(_taken_along(item, entry) for item in batch.items)
        return replace(batch, items=items, element=_taken_along(batch.element, entry))
    return batch


def call_across(
    run: Run, function: Function, arguments: Arguments, node: ast.Call, call: CallFunction
) -> Value:
    """Call a function of another file.

    Args:
        node: the call in the file that is analysed.
        call: runs the function.
    """
    if not matters(run, function, arguments):
        return _as_out_of_sight(run, function, arguments)
    arguments = entering(run, _as_changed(run, arguments), node, module=False, across=True)
    outer, run.crossing = run.crossing, node
    before = run.env.heap
    with run.budget.abroad_in(function.node):
        value = _brought(run, left(call(run, function, arguments), node), node)
        for each in _changed(run, function, arguments, value, before):
            bring_all_kept(run, each, node, before)
            build_parts_elsewhere(run, each, node, before)
            filled_elsewhere(run, each, node)
        is_cut_off = run.budget.is_spent
        if value == UNKNOWN and is_cut_off:
            value = _as_far_as_known(run, function, arguments)
    run.crossing = outer
    if is_cut_off:
        _leave_open(run, before, arguments)
    build_elsewhere(run, value, node, before)
    put_back_elsewhere(run, node)
    if run.in_function and _is_made_at(value, node):
        note_view(run, node)
    return value


def _changed(
    run: Run, function: Function, arguments: Arguments, value: Value, before: Heap
) -> Iterator[Instance]:
    """Yield the objects that a call has built and gives, or changed of those that it was given."""
    for option in alternatives(value):
        if isinstance(option, Instance) and option.ref not in before:
            yield option
    own = [function.bound] if isinstance(function.bound, Instance) else []
    for given in (*own, *arguments.values()):
        for option in alternatives(given):
            if isinstance(option, Instance) and option.ref in before:
                if run.env.heap.get(option.ref) is not before[option.ref]:
                    yield option


def _leave_open(run: Run, before: Heap, arguments: Arguments) -> None:
    """Forget where a call has moved objects that was cut off: the rest may move them back.

    What it was given, and has not moved so far, the rest may move as well.

    Args:
        before: the objects that were there before the call.
    """
    for value in arguments.values():
        let_go(run, value)
    changed = {
        ref: replace(obj, place=Place.UNKNOWN, origin=None)
        for ref, obj in run.env.heap.items()
        if ref in before and before[ref].place is not obj.place
    }
    run.budget.visited(len(run.env.heap))
    run.put(changed)


def crossing_to(function: Function, arguments: Arguments) -> Crossing:
    """Return what a function of another file is called with."""
    return Crossing(positional_parameters(function.node)[function.bound is not None :], arguments)


def coming_back(
    run: Run, function: Function, arguments: Arguments, parameters: list[ast.arg]
) -> Arguments:
    """Have what the loop of another file takes begin in the code at hand that it is handed to.

    A loop that calls a step whose code stands elsewhere leaves it to that to move the batch. A
    model takes what it is given.

    Args:
        parameters: those that can be given by position, but for the object itself.
    """
    bound = function.bound
    if isinstance(bound, Instance) and run.obj(bound).module:
        return arguments
    given = zip_longest(arguments.positional, parameters[: len(arguments.positional)])
    named = {parameter.arg: parameter for parameter in parameters}
    return replace(
        arguments,
        positional=[(_begun_at(run, value, at), node) for (value, node), at in given],
        keywords={
            name: (_begun_at(run, value, named.get(name)), node)
            for name, (value, node) in arguments.keywords.items()
        },
    )


def _begun_at(run: Run, value: Value, parameter: ast.arg | None, key: object = None) -> Value:
    """A value whose batches begin at a parameter.

    Args:
        key: which part of what the parameter gets it is.
    """
    if parameter is None:
        return value
    if isinstance(value, Choice):
        return choice([_begun_at(run, option, parameter, key) for option in value.options])
    if isinstance(value, Sequence) and value.items is not None:
        items = [_begun_at(run, part, parameter, (key, i)) for i, part in enumerate(value.items)]
        return replace(value, items=tuple(items))
    if not isinstance(value, Bundle) or value.place is not Place.HOST:
        return value
    origin = value.origin
    if origin is None or origin.kind is not OriginKind.BATCH:
        return value
    if origin.file is run.main and origin.elsewhere is None:
        return value
    here = Origin(parameter, run.main, OriginKind.BATCH, parameter.arg, False, "", key)
    return replace(value, origin=here, entered=None)


def _as_changed(run: Run, arguments: Arguments) -> Arguments:
    """Forget where structures live of which the code has replaced parts."""
    paths = run.env.paths

    def seen(pair: tuple[Value, ast.AST]) -> tuple[Value, ast.AST]:
        value, node = pair
        if not isinstance(node, ast.Name) or not paths.knows(node.id):
            return pair
        options = alternatives(value)
        return choice([placeless(o) if isinstance(o, Bundle) else o for o in options]), node

    return replace(
        arguments,
        positional=[seen(pair) for pair in arguments.positional],
        keywords={name: seen(pair) for name, pair in arguments.keywords.items()},
    )


def _as_out_of_sight(run: Run, function: Function, arguments: Arguments) -> Value:
    """What is known of a call that is not followed: a module's method stays on its device.

    Where no module calls it, that is only so for `forward`, unless its own code brings something
    back. Its other methods, and those of other objects, may move
    what they keep.
    """
    bound = function.bound
    if not isinstance(bound, Instance):
        return UNKNOWN
    obj = run.obj(bound)
    if not obj.module:
        let_go(run, bound)
        _forget_set(run, bound, function)
        return UNKNOWN
    if run.leaves_modules and obj.place is Place.HOST and not run.frame.in_forward:
        for part in obj.attrs.values():
            let_go(run, part)
    is_there = _gives_what_is_there(run, bound, function)
    if not (run.frame.in_forward or is_there):
        return UNKNOWN
    kinds = (Tensor, Bundle) if is_there else Tensor
    stays, values = not run.frame.in_forward, arguments.values()
    given = any(
        all(isinstance(o, kinds) and o.place is Place.ACCELERATOR for o in alternatives(value))
        for value in values
    )
    if not given and not (is_there and values and _has_state(run, obj)):
        return UNKNOWN
    single = stays and is_there and bound.cls is not None and gives_one_tensor(bound.cls)
    return Bundle(Place.ACCELERATOR, stays=stays, single=single)


def _forget_set(run: Run, bound: Instance, function: Function) -> None:
    """Forget what an object keeps where a method that isn't followed gives it something else."""
    obj, info = run.obj(bound), bound.cls
    given = context_of(function.file).own_attributes(function.node)[1]
    if info is not None:
        given |= set_by_called(info, function.node)
    if given := given & obj.attrs.keys():
        run.update(bound, obj.with_attributes({**obj.attrs, **dict.fromkeys(given, UNKNOWN)}))


def _has_state(run: Run, module: Obj) -> bool:
    """Whether a module certainly has parameters or buffers, by which its input is computed."""
    return any(
        value.registered
        if isinstance(value, Tensor)
        else isinstance(value, Instance) and run.obj(value).stateful is True
        for value in module.attrs.values()
    )


def _as_far_as_known(run: Run, function: Function, arguments: Arguments) -> Value:
    """What is known of a call that was too much to be followed to its end."""
    value = _as_out_of_sight(run, function, arguments)
    known = value != UNKNOWN and not puts_on_host(context_of(function.file).path)  # that takes long
    return value if known else UNKNOWN


def _gives_what_is_there(run: Run, module: Instance, function: Function) -> bool:
    """Whether a function is the `forward` of a module on the accelerator, which leaves it there."""
    if run.obj(module).place is not Place.ACCELERATOR or module.cls is None:
        return False
    if getattr(function.node, "name", "") != "forward":
        return False
    return not brings_back(module.cls)


def _brought(run: Run, value: Value, call: ast.Call, part: object = None) -> Value:
    """What a call gives whose host values another file makes: here, it is the call that does.

    Args:
        part: which part of what the call gives it is, if it is not all of it.
    """
    if isinstance(value, Tensor):
        return _made_by(run, value, call, part)
    if isinstance(value, Choice):
        if not all(map(_is_settled, value.options)):
            return choice([_without_place(option) for option in value.options])
        return choice([_brought(run, option, call, part) for option in value.options])
    if isinstance(value, Sequence):
        items = [_brought(run, item, call, (part, i)) for i, item in enumerate(value.items or ())]
        element = _brought(run, value.element, call, (part, "*"))
        return replace(value, items=None if value.items is None else tuple(items), element=element)
    if isinstance(value, Mapping):
        pairs = tuple((key, _brought(run, item, call, (part, key))) for key, item in value.items)
        return Mapping(pairs, value.rest)
    return value


def _is_settled(value: Value) -> bool:
    """Whether an alternative of what a call gives is on the host, or nothing that has a place."""
    if isinstance(value, (Tensor, Bundle)):
        return value.place is Place.HOST
    return value != UNKNOWN


def _without_place(value: Value) -> Value:
    """An alternative of what a call gives: on which path the function goes, it alone knows."""
    if isinstance(value, (Tensor, Bundle)) and value.place is Place.HOST:
        return placeless(value)
    return value


def _made_by(run: Run, value: Tensor, call: ast.Call, part: object) -> Tensor:
    origin = value.origin
    if origin is None or origin.file is run.main or origin.kind not in _TOLD_AT_CALL:
        return value
    if origin.keeper is not None:
        return replace(value, origin=replace(reading(run, origin, call), key=part), entered=None)
    made = run.made(call, origin.kind, short(call.func))
    site = run.site(origin.file, origin.node)
    # What something holds was made when that was built, wherever it is called.
    made = replace(
        made,
        key=part,
        count=origin.count,
        elsewhere=site,
        holder=origin.holder,
        in_forward=made.in_forward and origin.holder is None,
    )
    return replace(value, origin=made, entered=None)


def _is_made_at(value: Value, node: ast.Call) -> bool:
    """Whether a host value, or one that is in a structure, is said to be made by a call."""
    tensors = [leaf for leaf in leaves(value) if isinstance(leaf, Tensor)]
    return any(tensor.origin is not None and tensor.origin.node is node for tensor in tensors)
