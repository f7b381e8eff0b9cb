"""Calls into functions of the file: binding arguments, running the body, summing up."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from torchdev_lint.placement.defects.callers import note_called
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.budget import MAX_DEPTH
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame, called_at, told_apart
from torchdev_lint.placement.domain.heap import UNBUILT, Obj, is_left, join_heaps, put_back_by
from torchdev_lint.placement.domain.joins import choice, iterator, leaves
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    NEVER,
    NONE,
    UNKNOWN,
    ClassValue,
    Function,
    FunctionNode,
    Instance,
    Place,
    Value,
    alternatives,
)
from torchdev_lint.placement.domain.weight import weight_of
from torchdev_lint.placement.evidence.classes import is_module
from torchdev_lint.placement.evidence.conditions import unplaced
from torchdev_lint.placement.evidence.lacking import is_plain
from torchdev_lint.placement.evidence.unbuildable import raises_when_built
from torchdev_lint.placement.evidence.wrapped import may_be_wrapped
from torchdev_lint.placement.python.binding import bound, positional_parameters
from torchdev_lint.placement.python.carried import carried, handed_over
from torchdev_lint.placement.python.changing import lose
from torchdev_lint.placement.python.crossing import call_across, coming_back, crossing_to
from torchdev_lint.placement.python.cut_off import complete
from torchdev_lint.placement.python.fields import after_fields, fill_fields, refuses
from torchdev_lint.placement.python.frames import frame_for
from torchdev_lint.placement.python.given import recognize_tensors
from torchdev_lint.placement.python.handing_back import changed_by, hand_back
from torchdev_lint.placement.python.holding import bring_all_kept
from torchdev_lint.placement.python.left_behind import (
    build_parts_elsewhere,
    built_apart,
    forget_layer,
    let_go_of_given,
    remember_construction,
    stays_where_built,
)
from torchdev_lint.placement.python.module_containers import fill_inherited
from torchdev_lint.placement.python.moving import move_object, registered_in
from torchdev_lint.placement.python.recursion import recursion
from torchdev_lint.placement.python.summaries import Call, recall, remember
from torchdev_lint.placement.python.unbuilt import with_settings
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import FUNCTIONS


def decorated(node: FunctionNode, *names: str) -> bool:
    """Whether a function has a decorator with one of these last components."""
    if isinstance(node, ast.Lambda):
        return False
    return any((dotted(d) or "").rpartition(".")[2] in names for d in node.decorator_list)


def as_written(info: ClassInfo, name: str) -> Function | None:
    """Return a method of a class as it is defined, whatever its decorators make of it."""
    for parent in info.lineage():
        if name in parent.methods():
            return Function(parent.methods()[name], None, parent, parent.closure)
        if name in parent.namespace:
            value = parent.namespace[name]
            return value if isinstance(value, Function) else None
    return None


def call_function(
    run: Run,
    function: Function,
    arguments: Arguments,
    in_forward: bool = False,
    construction: Origin | None = None,
    node: ast.Call | None = None,
    site: ast.AST | None = None,
) -> Value:
    """Run a function in sight with abstract arguments.

    Args:
        node: the call that is written in the code, if there is one.
        site: the expression that leads to the call, if it is none itself.
        in_forward: whether it is the `forward` of a module, or an equal of it.
        construction: the expression that builds a layer, if this is that layer's `__init__`.

    Returns:
        What it returns; unknown where it recurses, is nested too deep, or is not what is called.
    """
    if node is not None and not _may_be_called_with(function, arguments):
        if function.owner is None or _is_built_in_sight(run, function.bound):
            fails(run, node)
        return UNKNOWN
    if node is not None and function.file is not run.main and not run.is_elsewhere:
        call = partial(_abroad, node=node, in_forward=in_forward)
        return call_across(run, function, arguments, node, call)
    if node is not None and function.file is run.main:
        note_called(run, function.node, arguments)
    if node is not None and run.is_elsewhere and isinstance(function.bound, Instance):
        build_late(run, function.bound)
    comes_back = run.is_elsewhere and function.file is run.main
    if comes_back and not in_forward:
        parameters = positional_parameters(function.node)[function.bound is not None :]
        arguments = coming_back(run, function, arguments, parameters)
    with run.budget.at_home() if comes_back else nullcontext():
        return _run(run, function, arguments, in_forward, construction, node or site)


def _may_be_called_with(function: Function, arguments: Arguments) -> bool:
    """Whether a call gives what a function takes.

    One with more or less fails at once, and so does one with a keyword that there isn't; a method
    may be another one, of an heir, unless the object was built in sight.
    """
    node = function.node
    if arguments.open_ended or arguments.bundles or not isinstance(node, FUNCTIONS):
        return True
    if any(isinstance(at, ast.Starred) for _, at in arguments.positional) or may_be_wrapped(node):
        return True
    parameters = positional_parameters(node)
    known = {parameter.arg for parameter in (*parameters, *node.args.kwonlyargs)}
    if node.args.kwarg is None and not arguments.keywords.keys() <= known:
        return False
    given = len(arguments.positional) + (function.bound is not None)
    if given > len(parameters):
        return node.args.vararg is not None
    if function.bound is None and function.owner is not None:
        return True  # what wraps a method may bind it
    required = parameters[given : len(parameters) - len(node.args.defaults)]
    return all(parameter.arg in arguments.keywords for parameter in required)


def _is_built_in_sight(run: Run, bound: Value | None) -> bool:
    """Whether an expression has built an object: it is of the class that is written there."""
    if not isinstance(bound, Instance) or bound.ref not in run.built.references:
        return False
    return bound.cls is not None and is_plain(bound.cls)


def _abroad(
    run: Run, function: Function, arguments: Arguments, node: ast.Call, in_forward: bool
) -> Value:
    if isinstance(function.bound, Instance):
        build_late(run, function.bound)
    value = _run(run, function, arguments, in_forward, site=node)
    for part in leaves(value):
        if isinstance(part, Instance):
            build_late(run, part)
    return value


def _run(
    run: Run,
    function: Function,
    arguments: Arguments,
    in_forward: bool = False,
    construction: Origin | None = None,
    site: ast.AST | None = None,
) -> Value:
    caller = run.frame
    if (around := recursion(run.frames, function, arguments)) is not None:
        caller.reads.cut.add(around.task)
        for value in arguments.values():
            lose(run, value)
        return UNKNOWN
    if len(run.frames) > MAX_DEPTH:
        caller.reads.cut_off = True
        return UNKNOWN
    run.budget.called(sum(map(weight_of, arguments.values())))
    in_forward = in_forward or caller.in_forward
    construction = construction or caller.construction
    apart = told_apart(run.frames, function.bound, site)
    names = bound(run, function, arguments)
    given = handed_over(run, function, arguments, site)
    outcomes = carried(run, function, given)
    at = called_at(run.frames, site)
    call = Call(function, names, in_forward, construction, apart, given, outcomes, at)
    key, objects = call.shape(run)
    remembered = recall(run, call, key, objects)
    if remembered is not None:
        value, raises, changed = remembered
        hand_back(run, function, arguments, site, names, changed)
        return _back_from(run, site, value, raises)
    frame = frame_for(run, _as_method(function, call.names), in_forward)
    frame.construction, frame.site, frame.apart = construction, site, apart
    if function.file is not run.main and isinstance(site, ast.Call):
        frame.crossing = crossing_to(function, arguments)
    held_back = run.held_back
    value = _run_body(run, frame, call)
    frame.reads.cut_off |= run.held_back > held_back
    changed = changed_by(frame, names)
    remember(run, call, key, objects, value, frame, changed)
    hand_back(run, function, arguments, site, names, changed)
    return _back_from(run, site, value, frame.raises)


def _back_from(run: Run, site: ast.AST | None, value: Value, raises: bool) -> Value:
    """Go on behind a call, if anything does.

    Args:
        raises: whether the function has raised on all its paths, whatever machine it is run on.
    """
    if raises and isinstance(site, ast.Call):
        fails(run, site)
    return NEVER if raises and site is None else value


def _as_method(function: Function, names: dict[str, Value]) -> Function:
    """Bind a method that is called as a function, by what wraps it, to what it is given as `self`.

    Args:
        names: what its parameters hold.
    """
    parameters = positional_parameters(function.node)
    first = names.get(parameters[0].arg) if parameters and function.bound is None else None
    if not isinstance(first, Instance) or first.cls is None:
        return function
    if decorated(function.node, "staticmethod"):
        return function
    for info in first.cls.lineage():
        if function.node in info.methods().values():
            return replace(function, bound=first, owner=info)
    return function


def _run_body(run: Run, frame: Frame, call: Call) -> Value:
    """Run a function's body; what it does to objects and settings lasts in its caller."""
    caller = run.env
    run.frames.append(frame)
    for name, value in call.names.items():
        run.bind(name, value)
    recognize_tensors(run, call.names)
    frame.env.outcomes = call.outcomes
    try:
        if isinstance(frame.node, ast.Lambda):
            frame.returns.append((run.evaluate(frame.node.body), frame.env))
        elif isinstance(frame.node, FUNCTIONS) and run.execute(run, frame.node.body):
            if run.budget.is_spent:  # what was cut off has not come to its end
                complete(run, call.function)
            frame.returns.append((UNKNOWN if run.budget.is_spent else NONE, frame.env))
    finally:
        run.frames.pop()
    if not frame.returns:
        return iterator(choice(frame.yields)) if frame.yields else UNKNOWN
    frame.env = _final_state(run, frame)
    caller.heap, caller.settings = frame.env.heap, frame.env.settings
    if frame.yields:
        return iterator(choice(frame.yields))
    returned = choice([value for value, _ in frame.returns])
    return unplaced(alternatives(returned)) if frame.returns_by_device else returned


def _final_state(run: Run, frame: Frame) -> Env:
    """The state that a call leaves; its variables matter only to functions defined in it."""
    states = [env for _, env in frame.returns]
    final = states[0]
    for other in states[1:]:
        if frame.defines:
            final = run.join_states(final, other)
        else:
            settings = final.settings.joined(other.settings)
            run.budget.visited(len(other.heap) if other.heap is not final.heap else 0)
            final = Env({}, join_heaps(final.heap, other.heap), settings=settings)
    return final


def construct(run: Run, info: ClassInfo, arguments: Arguments, node: ast.AST) -> Value:
    """Build an instance of a class of the file, running its `__init__`.

    What the same expression has built before, in a loop, is the same abstract object: it is
    what either of them is. In `forward`, where its parts may have been exchanged for those of
    the one before, it is not known any more where they live.
    """
    if raises_when_built(info) and isinstance(node, ast.Call):
        fails(run, node, by_itself=True)
        return UNKNOWN
    if run.built_before(node, info) is None:
        return _construct_once(run, info, arguments, node)
    before = run.env.heap
    with run.moods.within(Mood.DOUBT, run.frame.in_forward):
        instance = _construct_once(run, info, arguments, node)
    run.budget.visited(len(before))
    run.env.heap = join_heaps(before, run.env.heap)
    return instance


def call_unwritten(run: Run, function: Function, arguments: Arguments, site: ast.AST) -> Value:
    """Run a function to which no call leads that is written, as a loader or a subscript has it run.

    Args:
        site: the expression that leads there.
    """
    with _counted(run, function):
        return call_function(run, function, arguments, site=site)


def _counted(run: Run, function: Function) -> AbstractContextManager[None]:
    """Have what a function of another file does counted as work that is done there."""
    is_here = function.file is run.main
    return nullcontext() if is_here else run.budget.abroad_in(function.node)


def build_late(run: Run, instance: Instance) -> None:
    """Run the `__init__` of a module that was made without, as far as its arguments are known.

    It is moved with what it has by then, wherever it was moved meanwhile: else it is where it has
    put itself.
    """
    obj = run.obj(instance)
    if UNBUILT not in obj.attrs or instance.cls is None:
        return
    place = Place.HOST if obj.place.is_device else obj.place
    origin = None if is_left(obj) else obj.origin  # its own code doesn't know yet where it stays
    run.update(instance, replace(obj.with_attributes({}), place=place, origin=origin))
    init = instance.cls.lookup("__init__")
    if isinstance(init, Function):
        arguments = with_settings(obj.attrs[UNBUILT], init.node)
        with _counted(run, init):
            _run(run, replace(init, bound=instance), arguments)
    if not (obj.origin and obj.origin.kind is OriginKind.LAYER):
        for part in registered_in(run.obj(instance)):
            forget_layer(run, part)  # a `forward` uses it first, but doesn't build it
    if obj.was_moved or obj.kept or obj.place is not Place.HOST:
        put = put_back_by(obj)
        move_object(run, instance, obj.place, by_code=obj.was_moved or obj.kept, put=put)
    if is_left(obj):
        remember_construction(run, instance, obj.origin)


def is_misbuilt(run: Run, info: ClassInfo, arguments: Arguments, node: ast.AST) -> bool:
    """Note that a constructor does not take what it is given; return whether that is so."""
    is_data = bool(info.node.decorator_list) and refuses(info, arguments)
    if not is_data and _may_be_built_with(info, arguments):
        return False
    if isinstance(node, ast.Call) and (is_data or is_plain(info)):
        fails(run, node, by_itself=True)
    return True


def _construct_once(run: Run, info: ClassInfo, arguments: Arguments, node: ast.AST) -> Value:
    if is_misbuilt(run, info, arguments, node):
        return UNKNOWN
    module = is_module(info)
    origin = run.frame.construction
    if module and origin is None and run.frame.in_forward:
        note_view(run, node)
        origin = run.made(node, OriginKind.LAYER, info.name)
    place = run.env.settings.default if Mood.DOUBT not in run.moods else Place.UNKNOWN
    apart = built_apart(run, node, info.name, info) if module and place is Place.HOST else None
    if apart is not None and not stays_where_built(info, arguments):
        apart = None
    base = Obj(place if module else Place.UNKNOWN, module=module, origin=origin)
    before = run.env.heap
    instance = run.allocate(base, info, site=node)
    init = info.lookup("__init__")
    if isinstance(init, Function) and not info.inherits("NamedTuple"):
        bound = replace(init, bound=instance)
        call_function(run, bound, arguments, construction=origin, site=node)
    elif init is None:
        fill_fields(run, info, instance, arguments)
        fill_inherited(run, instance, arguments, node)
        let_go_of_given(run, info, arguments)
        if (rest := after_fields(info, instance)) is not None:
            given = Arguments(open_ended=True, any_keyword=True)
            call_function(run, rest, given, construction=origin, site=node)
    if origin is None:
        remember_construction(run, instance, apart)
    if info.file is not run.main:
        bring_all_kept(run, instance, node, before)
        if not module and isinstance(node, ast.Call):
            build_parts_elsewhere(run, instance, node, before)
    return instance


def _may_be_built_with(info: ClassInfo, arguments: Arguments) -> bool:
    """Whether a class may be called with some arguments, going by its `__init__`."""
    init = info.lookup("__init__")
    if not isinstance(init, Function) or info.lookup("__new__") is not None:
        return True
    return _may_be_called_with(replace(init, bound=ClassValue(info)), arguments)
