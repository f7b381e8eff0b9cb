"""Calls: who is called, with what, and what happens to what is passed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from torchdev_lint.catalog.arrays import OF_NUMBERS
from torchdev_lint.catalog.builtins import LOOKING_ON
from torchdev_lint.catalog.devices import BEGINNING
from torchdev_lint.catalog.factories import STATIC_METHODS
from torchdev_lint.catalog.methods import KEPT_BY_ASSIGNMENT, TENSOR_MOVES
from torchdev_lint.catalog.metrics import METRIC_METHODS, is_of_metrics
from torchdev_lint.catalog.modules import CALL_HOOKS, LEAVES_IN_PLACE
from torchdev_lint.placement.defects.constants import read
from torchdev_lint.placement.defects.containers import note_move
from torchdev_lint.placement.defects.failing import (
    fails,
    is_given_wrong,
    is_miscalled,
    raises_before,
)
from torchdev_lint.placement.defects.fractions import is_given_fraction
from torchdev_lint.placement.defects.hard_coded import named_by
from torchdev_lint.placement.defects.meetings import is_tensor_like
from torchdev_lint.placement.defects.mistaken import note_call_of_value
from torchdev_lint.placement.defects.reads import note_move_read
from torchdev_lint.placement.defects.rebuilt import excuse_writing
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.imported import AnyMember
from torchdev_lint.placement.domain.joins import choice, iterator, sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    ARRAY,
    MISSING,
    NONE,
    NUMERIC,
    PART,
    UNKNOWN,
    Bundle,
    ClassValue,
    Const,
    DeviceValue,
    Function,
    Instance,
    Library,
    Loader,
    Method,
    Partial,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Super,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import may_have_state
from torchdev_lint.placement.evidence.devices import made_up
from torchdev_lint.placement.evidence.failures import calls_to_fail
from torchdev_lint.placement.facts.events import CalledMethod
from torchdev_lint.placement.interpreter.any_member import meant
from torchdev_lint.placement.interpreter.chosen_together import as_chosen, one_by_one
from torchdev_lint.placement.interpreter.constructing import construct, restore
from torchdev_lint.placement.interpreter.discards import statement_move
from torchdev_lint.placement.interpreter.elsewhere import (
    as_elsewhere,
    call_as_elsewhere,
    meet_as_elsewhere,
)
from torchdev_lint.placement.interpreter.lost import note_lost_entries
from torchdev_lint.placement.interpreter.taking_apart import tell_axis
from torchdev_lint.placement.interpreter.unknown_calls import (
    call_unknown_method,
    escape,
    is_declared_module,
    is_part_of_module,
    some_on_accelerator,
)
from torchdev_lint.placement.libraries.arrays import of_array
from torchdev_lint.placement.libraries.registry import Call, call_library
from torchdev_lint.placement.libraries.torch_methods import call_tensor_method, receiver_of
from torchdev_lint.placement.libraries.torch_module_methods import call_module_method
from torchdev_lint.placement.libraries.torch_modules import (
    call_foreign,
    call_instance,
    given_by_module,
)
from torchdev_lint.placement.libraries.torch_moves import move
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.arguments import evaluate_arguments
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.changing import leave_comprehension, share
from torchdev_lint.placement.python.containers import call_container_method, rebind
from torchdev_lint.placement.python.crossing import entering, left
from torchdev_lint.placement.python.devices import begins_with, of_either_place
from torchdev_lint.placement.python.entries import replace_entries
from torchdev_lint.placement.python.hooks import note_hook
from torchdev_lint.placement.python.iteration import element_of, part_of
from torchdev_lint.placement.python.left_behind import let_go, let_go_of_given
from torchdev_lint.placement.python.module_containers import fill_inherited
from torchdev_lint.placement.python.object_attributes import bind_method, preparation_above
from torchdev_lint.placement.python.own_state import made_of_own_state
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of


def evaluate_call(run: Run, node: ast.Call) -> Value:
    """Evaluate a call expression."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(run)
    function = run.evaluate(node.func)
    with run.moods.within(Mood.EXPECTED, calls_to_fail(node)):
        arguments = as_elsewhere(run, evaluate_arguments(run, node), node)
        if raises_before(run, node):
            return UNKNOWN
        note_move(run, node, alternatives(function))
        note_call_of_value(run, node, function)
        options, failing = one_by_one(alternatives(function)), run.frame.failing
        if len(options) > 1:
            arguments = as_chosen(run, options, arguments)
        value = choice([call_value(run, option, arguments, node) for option in options])
        if len(options) > 1:
            run.frame.failing = failing  # it may be another one that is called
            value = of_either_place(options, value)
            tell_axis(run, node, arguments.get(0, "dim"))
    value = value if run.supposing else named_by(run, value, node)
    value = made_of_own_state(run, value, node)
    return read(run, value, node)  # it may be made of what a list holds


def _super(run: Run) -> Value:
    """`super()`: the object itself, as an instance of the next class in line."""
    bound = run.frame.bound
    return Super(bound) if isinstance(bound, Instance) else UNKNOWN


def call_value(run: Run, function: Value, arguments: Arguments, node: ast.Call) -> Value:
    """Call a value, one without alternatives."""
    return _CALLERS.get(type(function), _call_unknown)(run, function, arguments, node)


def _call_unknown(run: Run, function: Value, arguments: Arguments, node: ast.Call) -> Value:
    """Call something of which perhaps its name in the code tells that it is a module."""
    if function == PART and run.frame.in_forward and some_on_accelerator(arguments):
        return given_by_module(Place.ACCELERATOR, arguments)
    if is_part_of_module(run, node.func):
        if some_on_accelerator(arguments):
            return given_by_module(Place.ACCELERATOR, arguments)
        if is_declared_module(run, node.func) and any(map(is_tensor_like, arguments.values())):
            return given_by_module(Place.ACCELERATOR, arguments)
    escape(run, arguments, node)
    return call_as_elsewhere(run, arguments, node)


def _call_function(run: Run, function: Function, arguments: Arguments, node: ast.Call) -> Value:
    """Call a function of the file; a method of a module on the accelerator is like `forward`."""
    bound = function.bound
    on_device = (
        isinstance(bound, Instance)
        and not run.frame.in_forward
        and run.obj(bound).module
        and run.obj(bound).place is Place.ACCELERATOR
    )
    if on_device:
        run.note(CalledMethod(node))
    if not run.frame.in_forward:
        arguments = entering(run, arguments, node, module=on_device)
    before = run.obj(bound) if isinstance(bound, Instance) and run.env.paths else None
    value = functions.call_function(run, function, arguments, in_forward=on_device, node=node)
    if before is not None and isinstance(bound, Instance):
        _forget_told(run, before, run.obj(bound), node.func)
    return left(value, node)


def _forget_told(run: Run, before: Obj, after: Obj, function: ast.expr) -> None:
    """Forget what conditions have told of attributes that a method has set since."""
    path = path_of(function.value) if isinstance(function, ast.Attribute) else None
    if path is None or after is before:
        return
    run.budget.visited(len(after.attrs))
    for name, value in after.attrs.items():
        if before.attrs.get(name) is not value:
            run.budget.visited(run.env.paths.forget_below(f"{path}.{name}"))
            run.env.paths.pop(f"{path}.{name}", None)


def _call_any(run: Run, member: AnyMember, arguments: Arguments, node: ast.Call) -> Value:
    """Call one of the functions and classes of a module; which one, a setting tells."""
    return call_value(run, meant(run, member, arguments), arguments, node)


def _call_imported(run: Run, function: Library, arguments: Arguments, node: ast.Call) -> Value:
    if is_miscalled(function.name, arguments, node):
        fails(run, node, by_itself=True)
        return UNKNOWN
    if is_given_fraction(function.name, arguments) or is_given_wrong(function.name, arguments):
        fails(run, node)
        return UNKNOWN
    value = call_library(Call(run, function.name, arguments, node))
    if value == UNKNOWN and not function.name.startswith(LOOKING_ON):
        escape(run, arguments, node)
    return value


def _call_object(run: Run, function: Instance, arguments: Arguments, node: ast.Call) -> Value:
    meet_as_elsewhere(run, function, arguments, node)
    return call_instance(run, function, arguments, node)


def _call_partial(run: Run, function: Partial, arguments: Arguments, node: ast.Call) -> Value:
    merged = Arguments(
        positional=[*function.positional, *arguments.positional],
        keywords={**{n: (v, e) for n, v, e in function.keywords}, **arguments.keywords},
        bundles=arguments.bundles,
        open_ended=arguments.open_ended,
        any_keyword=arguments.any_keyword,
    )
    return call_value(run, function.function, merged, node)


def _call_method(run: Run, method: Method, arguments: Arguments, node: ast.Call) -> Value:
    base, name = method.bound, method.name
    if name in CALL_HOOKS:
        note_hook(run, base, arguments)
    if isinstance(base, Tensor):
        excuse_writing(run, base, name)
        return call_tensor_method(run, base, name, arguments, node, method.among)
    if isinstance(base, Bundle):
        return _call_bundle_method(run, method, base, arguments, node)
    if isinstance(base, Instance):
        return _call_instance_method(run, base, name, arguments, node)
    if isinstance(base, (Sequence, Mapping)):
        return call_container_method(run, base, name, arguments, node)
    if isinstance(base, Super):
        return _call_super_method(run, base.bound, name, arguments, node)
    if isinstance(base, Loader) and name == "__iter__":
        given = replace(arguments, positional=[(base, receiver_of(node))])
        return call_library(Call(run, "builtins.iter", given, node))
    if isinstance(base, ClassValue):
        return restore(run, base.info, node)
    return _call_of_other(run, method, arguments, node)


def _call_of_other(run: Run, method: Method, arguments: Arguments, node: ast.Call) -> Value:
    """Call a method of what holds no tensors, or of what nothing is known of."""
    base = method.bound
    if isinstance(base, Size):
        return Scalar(ScalarKind.INT)
    if isinstance(base, (Const, DeviceValue)) and method.name == BEGINNING:
        return begins_with(base, arguments.get(0) or UNKNOWN)
    if isinstance(base, Const) and isinstance(base.value, str) and method.name == "format":
        return made_up(base.value.partition("{")[0])
    return _call_of_unknown(run, method, arguments, node) if isinstance(base, Unknown) else UNKNOWN


def _call_of_unknown(run: Run, method: Method, arguments: Arguments, node: ast.Call) -> Value:
    if method.bound == ARRAY and (array := of_array(method.name, arguments)) is not None:
        return array
    if method.bound == NUMERIC and method.name in OF_NUMBERS:
        return NUMERIC
    value = call_unknown_method(run, method.name, arguments, node)
    return call_as_elsewhere(run, arguments, node) if value == UNKNOWN else value


def _call_bundle_method(
    run: Run, method: Method, base: Bundle, arguments: Arguments, node: ast.Call
) -> Value:
    name = method.name
    if name in TENSOR_MOVES:
        value = move(run, base, name, arguments, node)
        note_move_read(run, node, Operand(base, receiver_of(node), method.among), value)
        if base.in_place and isinstance(node.func, ast.Attribute):
            rebind(run, node.func.value, value)
        return value
    if name in {"items", "keys", "values"}:
        part = part_of(base, "*", node)
        if isinstance(part, Bundle):  # by a name, as it were
            part = replace(part, picked=base.picked)
        element = part if name != "keys" else Scalar(ScalarKind.STR)
        return iterator(
            sequence([Scalar(ScalarKind.STR), part], SequenceKind.TUPLE)
            if name == "items"
            else element
        )
    if name in {"get", "pop"} and arguments.positional:
        key = arguments.positional[0][0]
        return part_of(base, key.value, node) if isinstance(key, Const) else UNKNOWN
    if name in {"update", "append", "extend"}:
        if name == "update" and isinstance(node.func, ast.Attribute):
            replace_entries(run, node.func.value, base, _given_entries(arguments))
        return NONE
    return call_tensor_method(run, base, name, arguments, node, method.among)


def _given_entries(arguments: Arguments) -> Mapping:
    """The entries that `update` is given, as `dict` takes them."""
    given = arguments.get(0)
    if arguments.bundles or arguments.open_ended or arguments.any_keyword:
        return Mapping((), UNKNOWN)
    if arguments.positional and not isinstance(given, Mapping):
        return Mapping((), UNKNOWN)
    entries = given if isinstance(given, Mapping) else Mapping((), MISSING)
    for name, (value, _) in arguments.keywords.items():
        entries = entries.with_item(name, value)
    return entries


def _call_instance_method(
    run: Run, base: Instance, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    qualified = f"{base.library}.{name}"
    if run.obj(base).module and qualified not in STATIC_METHODS:
        value = call_module_method(run, base, name, arguments, node)
    else:
        value = call_library(Call(run, qualified, arguments, node, base))
    if value == UNKNOWN:
        escape(run, arguments, node)
        if run.leaves_modules and not _leaves_in_place(base, name):
            let_go(run, base)
    return value


def _leaves_in_place(base: Instance, name: str) -> bool:
    """Whether a method of an object, of which nothing else is known, leaves it where it is."""
    is_metrics = name in METRIC_METHODS and is_of_metrics(base.library)
    return is_metrics or name in LEAVES_IN_PLACE


def _call_super_method(
    run: Run, base: Instance, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Call a method as `super()` finds it: behind the class that the call is written in."""
    owner = run.frame.owner
    if base.cls is not None and owner is not None:
        line = base.cls.lineage()
        behind = line[line.index(owner) + 1 :] if owner in line else []
        for info in behind:
            found = info.namespace.get(name)
            if isinstance(found, Function):
                bound = bind_method(found, base)
                assert isinstance(bound, Function)
                return functions.call_function(run, bound, arguments, node=node)
    if name in {"forward", "__call__"} and run.obj(base).module:
        obj = run.obj(base)
        forward = None if base.cls is None else base.cls.lookup("forward")
        if name == "__call__" and isinstance(forward, Function):
            # nobody's but that of `nn.Module`, which asks the object for its `forward`
            bound = bind_method(forward, base)
            assert isinstance(bound, Function)
            return functions.call_function(run, bound, arguments, in_forward=True, node=node)
        stateful = True if base.cls is None or may_have_state(base.cls) else obj.stateful
        return call_foreign(run, base, replace(obj, stateful=stateful), arguments, node)
    if name == "__init__":
        fill_inherited(run, base, arguments, node)
        if base.cls is not None:
            let_go_of_given(run, base.cls, arguments)
        return NONE
    if (prepares := preparation_above(base, name)) is not None:
        return _call_imported(run, prepares, arguments, node)
    return _call_instance_method(run, base, name, arguments, node)


_CALLERS: dict[type, Callable[[Run, Any, Arguments, ast.Call], Value]] = {
    Function: _call_function,
    ClassValue: construct,
    Library: _call_imported,
    Method: _call_method,
    Instance: _call_object,
    Partial: _call_partial,
    AnyMember: _call_any,
}
"""Who calls values of which something is known, by their types."""


def statement_call(run: Run, node: ast.expr) -> None:
    """Evaluate an expression statement: what it gives is thrown away."""
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        saved = dict(run.env.names)
        for generator in node.generators:
            source = run.evaluate(generator.iter)
            share(source)
            assign(run, generator.target, element_of(run, source, generator.target))
        statement_call(run, node.elt)
        leave_comprehension(run, saved, node.generators)
        return
    if isinstance(node, ast.DictComp):
        note_lost_entries(run, node)
    if isinstance(node, _THROWN_AWAY_IN_PARTS):
        for part in _thrown_away(run, node):
            statement_call(run, part)
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in KEPT_BY_ASSIGNMENT and statement_move(run, node, node.func):
            return
    run.evaluate(node)


_THROWN_AWAY_IN_PARTS = (ast.IfExp, ast.BoolOp, ast.Tuple, ast.List)


def _thrown_away(run: Run, node: ast.expr) -> list[ast.expr]:
    """Evaluate what an expression asks, and return the parts whose values it may give."""
    if isinstance(node, ast.IfExp):
        run.evaluate(node.test)
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        for operand in node.values[:-1]:
            run.evaluate(operand)
        return node.values[-1:]
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
