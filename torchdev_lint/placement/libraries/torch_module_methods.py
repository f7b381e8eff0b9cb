"""The methods that modules have from their library."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.catalog.gradients import LISTS_PARAMETERS, SETS_PARAMETERS
from torchdev_lint.catalog.methods import MODULE_MOVES
from torchdev_lint.catalog.metrics import counts_in_tensors, is_comparing, is_of_metrics
from torchdev_lint.placement.defects.numbers import number_said
from torchdev_lint.placement.defects.rebuilt import excuse, excuse_state
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import as_registered, is_left
from torchdev_lint.placement.domain.joins import iterator, leaves, sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    DeviceValue,
    Function,
    Instance,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.events import ModuleMove
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.libraries.torch_modules import call_foreign
from torchdev_lint.placement.libraries.torch_moves import destination, says_so
from torchdev_lint.placement.python.assignment import set_by_name
from torchdev_lint.placement.python.children import as_pairs, children_of
from torchdev_lint.placement.python.code_behind import code_behind
from torchdev_lint.placement.python.families import with_family
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.placement.python.module_containers import extend, is_container, update, view
from torchdev_lint.placement.python.moving import (
    change_parts,
    has_axes,
    move_object,
    parts_of,
    place_of_all,
)
from torchdev_lint.placement.python.put_back import put_back
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.made_up import family_of
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.walking import walk


def call_module_method(
    run: Run, instance: Instance, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate a method that a module has from its library."""
    obj = run.obj(instance)
    lists = run.frame.construction is not None and name in LISTS_PARAMETERS
    if lists or name in SETS_PARAMETERS:
        excuse_state(run, instance)
    call = Call(run, name, arguments, node, instance)
    handler = _METHODS.get(name) or (_CONTAINER_METHODS.get(name) if is_container(obj) else None)
    if handler is not None:
        return handler(call, instance)
    if name == "compute" and counts_in_tensors(instance.library):
        return Tensor(obj.place) if obj.place.is_device else UNKNOWN  # it is made of what it counts
    compares = name == "update" and is_comparing(instance.library, at_call=False)
    is_known = obj.place is Place.ACCELERATOR or obj.origin is not None or compares
    is_known |= obj.place is Place.GIVEN and name == "forward"  # as if the module itself was called
    if instance.cls is None and is_known and _takes_input(instance, name, arguments):
        return call_foreign(run, instance, obj, arguments, node)
    return UNKNOWN


def _moving(call: Call, module: Instance) -> Value:
    _move_module(call, module)
    if call.run.obj(module).was_moved:
        call.run.note(ModuleMove(call.node, _receiver(call.node)))
    return module


@handles(*(f"torch.nn.Module.{name}" for name in MODULE_MOVES))
def _moving_by_class(call: Call) -> Value:
    """`nn.Module.cuda(self, device)`, as a class calls it in a method of its own of that name."""
    module = call.get(0)
    if not isinstance(module, Instance):
        return UNKNOWN
    given = replace(call.arguments, positional=call.arguments.positional[1:])
    name = call.name.rpartition(".")[2]
    _move_module(Call(call.run, name, given, call.node, module), module)
    return module


def _applying(call: Call, module: Instance) -> Value:
    """A function that all parts are handed to may move them, unless its code is in sight."""
    function = call.get(0, "fn")
    if call.run.leaves_modules and not (
        isinstance(function, Function) and _leaves(call.run, function)
    ):
        let_go(call.run, module)
    return module


def _leaves(run: Run, function: Function) -> bool:
    """Whether the code of a function moves nothing, so that it leaves modules where they are."""
    behind = code_behind(run, function.node, function.closure)
    nodes = (node for code in behind.code for node in walk(code))
    return not any(isinstance(n, ast.Attribute) and n.attr in MODULE_MOVES for n in nodes)


def _changing_mode(call: Call, module: Instance) -> Value:
    """From there on it is not known whether a module, and what it holds, is in training."""
    mode = Scalar(ScalarKind.BOOL)
    change_parts(
        call.run, module, lambda obj: obj.assigned("training", mode) if is_left(obj) else None
    )
    return module


def _hooking(call: Call, module: Instance) -> Value:
    """A hook that runs before `forward` may move what the module is called with."""
    call.run.update(module, replace(call.run.obj(module), moves_inputs=True))
    return UNKNOWN


def _state(call: Call, module: Instance) -> Value:
    return iterator(_state_of(call, module))


def _named_state(call: Call, module: Instance) -> Value:
    state = _state_of(call, module)
    return iterator(sequence([UNKNOWN, state], SequenceKind.TUPLE))


def _state_of(call: Call, module: Instance) -> Tensor:
    scalar = None if "buffers" in call.last or not has_axes(call.run, module) else False
    return replace(_of_state(call, module, scalar), registered=True)


def _of_state(call: Call, module: Instance, scalar: bool | None) -> Tensor:
    """A tensor of a module's state, which was made where the module was, if it has stayed there."""
    obj, place = call.run.obj(module), place_of_all(call.run, module)
    origin = obj.origin if is_left(obj) and place is obj.place else None
    return Tensor(place, scalar, origin)


def _state_dict(call: Call, module: Instance) -> Value:
    """What it holds stays where it was, when the module moves on."""
    if call.node.args or call.node.keywords:
        return UNKNOWN
    scalar = False if has_axes(call.run, module, buffers=True) else None
    return Mapping((), _of_state(call, module, scalar))


def _taking_state(call: Call, module: Instance) -> Value:
    """With `assign=True` a module gets the tensors of the state, and is where these are.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
    """
    assign = call.get(2, "assign")
    if assign in (None, Const(False)) and not call.arguments.any_keyword:
        return UNKNOWN
    held = set(_parts_of_state(call.get(0, "state_dict") or UNKNOWN))
    places = {part.place if isinstance(part, (Tensor, Bundle)) else None for part in held}
    if assign == Const(True) and places == {Place.HOST}:
        put = put_back(call.run, module, call.node)
        move_object(call.run, module, Place.HOST, put=put)
    elif places != {call.run.obj(module).place}:
        move_object(call.run, module, Place.UNKNOWN)
    return UNKNOWN


def _parts_of_state(state: Value) -> Iterator[Value]:
    """Yield what the state of a module may consist of, as far as it is known."""
    for option in alternatives(state):
        if isinstance(option, Mapping):
            yield from (part for held in option.held() for part in leaves(held) if part != MISSING)
        else:
            yield option


def _registering(call: Call, module: Instance) -> Value:
    _register(call.run, module, call.arguments)
    return NONE


def _adding_state(call: Call, module: Instance) -> Value:
    """A metric moves its states as a module its buffers, and the lists among them as well."""
    name, value = call.get(0, "name"), call.get(1, "default")
    if isinstance(value, Sequence) and name is not None:
        set_by_name(call.run, module, (name, None), value)
    elif value is not None:
        _register_as(call.run, module, name, value)
    return NONE


def _setting(call: Call, module: Instance) -> Value:
    name, value = call.get(0, "name"), call.get(1, "value")
    if name is not None and value is not None:
        excuse(call.run, value)
        written = call.node.args[0] if call.node.args else None
        set_by_name(call.run, module, (name, written), value)
    return NONE


def _extending(call: Call, module: Instance) -> Value:
    extend(call.run, module, call.name, call.arguments)
    return module


def _updating(call: Call, module: Instance) -> Value:
    update(call.run, module, call.arguments)
    return NONE


def _viewing(call: Call, module: Instance) -> Value:
    return view(call.run.obj(module), call.name)


def _handing_out(call: Call, module: Instance) -> Value:
    """The parts of a module, each by itself where all of them are known."""
    if is_container(call.run.obj(module)):
        return _viewing(call, module)
    parts = children_of(call.run, module)
    if parts is None:
        return UNKNOWN
    return as_pairs(parts) if call.name == "named_children" else sequence(list(parts.values()))


_METHODS: dict[str, Callable[[Call, Instance], Value]] = {
    **dict.fromkeys(catalog.FLUENT_METHODS, lambda _, module: module),
    **dict.fromkeys(("eval", "train"), _changing_mode),
    **dict.fromkeys(MODULE_MOVES, _moving),
    **dict.fromkeys(("children", "named_children"), _handing_out),
    **dict.fromkeys(("parameters", "buffers"), _state),
    **dict.fromkeys(("named_parameters", "named_buffers"), _named_state),
    **dict.fromkeys(catalog.REGISTERING_METHODS, _registering),
    "add_state": _adding_state,
    "apply": _applying,
    "register_forward_pre_hook": _hooking,
    "__setattr__": _setting,
    "state_dict": _state_dict,
    "load_state_dict": _taking_state,
}
"""Who evaluates the methods of all modules."""


_CONTAINER_METHODS: dict[str, Callable[[Call, Instance], Value]] = {
    **dict.fromkeys(("append", "extend", "insert"), _extending),
    **dict.fromkeys(("items", "values", "keys"), _viewing),
    "update": _updating,
}
"""Who evaluates those of `Sequential`, `ModuleList` and `ModuleDict`."""


def _receiver(node: ast.Call) -> str:
    return (path_of(node.func.value) if isinstance(node.func, ast.Attribute) else None) or ""


def _takes_input(instance: Instance, name: str, arguments: Arguments) -> bool:
    """Whether a method of a model out of sight uses its arguments as they are.

    `generate` is `transformers`'s if its model is, or if a tokenizer's output goes into it.
    """
    if name == "update":
        return is_of_metrics(instance.library) or is_comparing(instance.library, at_call=False)
    if name != "generate" or instance.library.startswith("transformers."):
        return name in catalog.ENTRY_METHODS
    return any(
        isinstance(option, Bundle) and option.origin and option.origin.kind is OriginKind.ENCODING
        for value in arguments.values()
        for option in alternatives(value)
    )


_APPLY = "_apply"


def _move_module(call: Call, instance: Instance) -> None:
    run, name, arguments = call.run, call.name, call.arguments
    is_open = name == "to" and arguments.open_ended
    place = Place.UNKNOWN if is_open else destination(run, name, arguments, call.node)
    if place is not None:
        place = Place.UNKNOWN if Mood.DOUBT in run.moods else place
        put = number_said(run, place, arguments.get(0, "device"), call.node)
        if place is Place.HOST and says_so(name, arguments):
            put = put_back(run, instance, call.node)
        move_object(run, instance, place, put=put)
        for part in parts_of(run, [instance]) or [instance]:
            _let_go_with(run, part)


def _let_go_with(run: Run, part: Instance) -> None:
    """Forget what a part changes itself: by `_apply`, through which all moves go.

    These are the places of what it keeps, and what it remembers of its own.

    Source: `Module._apply` in `torch/nn/modules/module.py`.
    """
    info = part.cls
    if info is not None and any(_APPLY in parent.methods() for parent in info.lineage()):
        for held in run.obj(part).attrs.values():
            let_go(run, held)
        obj = run.obj(part)  # as it is by then
        devices = {name: UNKNOWN for name, held in obj.attrs.items() if _may_name_device(held)}
        run.update(part, obj.with_attributes({**obj.attrs, **devices}))


def _may_name_device(value: Value) -> bool:
    """Whether a value is a device, or a text that may name one."""
    is_text = isinstance(value, Const) and isinstance(value.value, str)
    return is_text or isinstance(value, DeviceValue)


def _register(run: Run, instance: Instance, arguments: Arguments) -> None:
    name, value = arguments.get(0, "name"), arguments.get(1, "tensor")
    value = value or arguments.get(-1, "module") or arguments.get(-1, "param")
    excuse(run, value or UNKNOWN)
    if value is not None:
        _register_as(run, instance, name, value, arguments.node(0, "name"))


def _register_as(
    run: Run,
    instance: Instance,
    name: Value | None,
    value: Value,
    written: ast.AST | None = None,
) -> None:
    """Have a module register something: a buffer is where it was made until the module is moved.

    Args:
        written: the expression that gives its name.
    """
    obj = run.obj(instance)
    if isinstance(name, Const) and isinstance(name.value, str):
        run.update(instance, obj.registering(name.value, value))
    else:
        obj = with_family(obj.with_part(value), family_of(written), as_registered(value))
        run.update(instance, obj)
