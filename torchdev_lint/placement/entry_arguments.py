"""The arguments of an entry point: what annotations, defaults and uses say of them."""

from __future__ import annotations

import ast

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.budget import MAX_DEPTH
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    LISTED,
    NO_TENSOR,
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
from torchdev_lint.placement.entry_calls import as_moved_here, calls_elsewhere
from torchdev_lint.placement.evidence.classes import is_loss_of_trainer
from torchdev_lint.placement.evidence.converted_inputs import converted_in, handed_to_own
from torchdev_lint.placement.evidence.docstrings import documented_tensors
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.flags import says_device
from torchdev_lint.placement.evidence.left_on_host import is_left_on_host
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.interpreter.called_elsewhere import agreed, is_left_out
from torchdev_lint.placement.python import binding
from torchdev_lint.placement.python.annotations import annotated_value, says_nothing
from torchdev_lint.placement.python.frames import frame_for
from torchdev_lint.placement.python.functions import decorated
from torchdev_lint.placement.python.given import tensor_given
from torchdev_lint.placement.python.supplied import supplied
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.parameters import arguments_of
from torchdev_lint.syntax.walking import walk

_DEFAULTS = {
    int: ScalarKind.INT,
    float: ScalarKind.FLOAT,
    bool: ScalarKind.BOOL,
    str: ScalarKind.STR,
}
"""What an argument is whose default is a literal of a type."""
_TAKES_EITHER = frozenset({"as_tensor", "asarray", "from_numpy"})
"""Functions that give a tensor as it is, and make one of what else they are given."""


def entry_arguments(run: Run, function: Function, place: Place) -> Arguments:
    """Make the arguments for an entry point, in whose frame the run is.

    Args:
        place: where tensors live that come in as arguments.
    """
    node = function.node
    parameters = binding.positional_parameters(node)
    if function.bound is not None and parameters:
        parameters = parameters[1:]
    defaults = {parameter.arg: default for parameter, default in binding.defaults_of(node)}
    documented = documented_tensors(node)
    calls = calls_elsewhere(run, function)

    def value_of(parameter: ast.arg) -> tuple[Value, ast.AST]:
        given = supplied(run, node, parameter.arg)
        if given is not None:
            return given, parameter
        if _is_device_on_host(run, function, parameter):
            return DeviceValue(Place.UNKNOWN), parameter
        where = Place.UNKNOWN if _is_off(run, node, parameter.arg, place) else place
        first = bool(parameters) and parameter is parameters[0]
        default = defaults.get(parameter.arg)
        told = parameter.arg in documented
        value = _entry_value(run, parameter, default, where, first, told)
        at = parameters.index(parameter) if calls.given and parameter in parameters else -1
        if _is_switch(parameter, default) and is_left_out(calls, at, parameter.arg):
            assert isinstance(default, ast.Constant)
            return Const(default.value), parameter  # nobody turns it on, or off
        if calls.given and (value == UNKNOWN or _is_some_module(run, value)):
            given = as_moved_here(run, function, agreed(run, calls, at, parameter.arg))
            given = _with_length(given, run.uses_of(parameter.arg))
            return (given if value == UNKNOWN or _is_some_module(run, given) else value), parameter
        return _or_default(run, function, parameter, default, value), parameter

    rest = node.args.vararg
    if rest is not None and place is Place.GIVEN:
        parameters = [*parameters, rest]
    return Arguments(
        positional=[value_of(parameter) for parameter in parameters],
        keywords={parameter.arg: value_of(parameter) for parameter in node.args.kwonlyargs},
        open_ended=True,
        any_keyword=True,
    )


def _with_length(given: Value, uses: Uses | None) -> Value:
    """What callers give, where that is no tensor: a list, if it is asked for its length or a part.

    Args:
        uses: how the function uses it.
    """
    counts = uses is not None and uses.has_axes and not uses.keyed
    return LISTED if given == NO_TENSOR and counts else given


def _is_switch(parameter: ast.arg, default: ast.expr | None) -> bool:
    """Whether a parameter is a switch, and none for devices, by its default."""
    is_bool = isinstance(default, ast.Constant) and isinstance(default.value, bool)
    return is_bool and not says_device(parameter.arg)


def _is_device_on_host(run: Run, function: Function, parameter: ast.arg) -> bool:
    """Whether a parameter is a device, and all calls of a function leave that on the CPU."""
    file, name = run.facts.file, getattr(function.node, "name", "")
    if parameter.arg not in DEVICE_NAMES or function.bound is not None or file is None:
        return False
    if not run.supposing:
        return False
    return run.module.env.names.get(name) == function and is_left_on_host(file, name, parameter)


def _is_some_module(run: Run, value: Value) -> bool:
    """Whether a value is a module, of whatever class."""
    options = alternatives(value)
    return all(isinstance(option, Instance) and run.obj(option).module for option in options)


def _is_off(run: Run, node: ast.AST, name: str, place: Place) -> bool:
    """Whether an argument is not on the accelerator, which is asked of it as a tensor.

    A module's batches are where it is, whatever their type. What a function is given besides what
    it makes an array of is where that is.

    Args:
        place: where tensors live that come in as arguments.
    """
    if place is Place.GIVEN:
        return run.file.is_off_accelerator(node, name) or run.file.makes_arrays(node)
    return name in run.file.off_accelerator(node)


def _or_default(
    run: Run, function: Function, parameter: ast.arg, default: ast.expr | None, value: Value
) -> Value:
    """What an argument is that may as well be left out, if a tensor is its default then."""
    if not isinstance(default, (ast.Call, ast.Name, ast.Attribute)):
        return value
    given = binding.default_value(run, function, parameter, default)
    is_kept = isinstance(given, Tensor) and given.origin is not None and given.origin.keeper
    return choice([value, given]) if is_kept else value


def _entry_value(
    run: Run, parameter: ast.arg, default: ast.expr | None, place: Place, first: bool, told: bool
) -> Value:
    value = _declared_value(run, parameter, default, place, first, told)
    uses = run.uses_of(parameter.arg)
    may_be_none = isinstance(default, ast.Constant) and default.value is None
    may_be_none |= uses is not None and uses.asked_for_none
    if place is not Place.GIVEN and run.frame.in_forward and _may_be_no_tensor(run, parameter):
        value = choice([value if isinstance(value, Tensor) else Tensor(Place.UNKNOWN), NO_TENSOR])
    return choice([value, NONE]) if may_be_none and value != UNKNOWN else value


def _may_be_no_tensor(run: Run, parameter: ast.arg) -> bool:
    """Whether `forward` makes a tensor of an argument that is none, itself or by its own method."""
    node, name = run.frame.node, parameter.arg
    if parameter.annotation is not None:
        return False
    if name in run.file.of_nodes(converted_in, node):
        return True
    handed = run.file.of_nodes(handed_to_own, node).get(name, ())
    return any(_converts(run, call, name) for call in handed)


def _converts(run: Run, call: ast.Call, name: str) -> bool:
    """Whether a method of the object at hand makes a tensor of a variable that is none."""
    bound = run.frame.bound
    info = bound.cls if isinstance(bound, Instance) else None
    method = info.lookup(last_component(call.func)) if info else None
    if not isinstance(method, Function) or isinstance(method.node, ast.Lambda):
        return False
    if decorated(method.node, "staticmethod", "classmethod"):
        return False
    converted = context_of(method.file).of_nodes(converted_in, method.node)
    given = arguments_of(call, method.node, is_method=True)
    return any(own in converted and path_of(value) == name for own, value in given.items())


def _declared_value(
    run: Run,
    parameter: ast.arg,
    default: ast.expr | None,
    place: Place,
    first: bool,
    told: bool = False,
) -> Value:
    """What an argument is, going by its annotation, the docstring, its default and its uses.

    Args:
        first: whether it is the first one, for which arithmetic is enough to be a tensor: of the
            others it may be a factor, a rate or the number of a layer.
        told: whether the docstring says that it is a tensor.
    """
    if parameter.arg in run.file.length_names:
        return UNKNOWN
    if not says_nothing(parameter.annotation):
        value = _annotated(run, parameter, place)
        is_told = value != UNKNOWN or place is not Place.GIVEN
        return value if is_told else _given(run, run.uses_of(parameter.arg), of_any_type=False)
    uses = run.uses_of(parameter.arg)
    like_default = _by_default(run, parameter.arg, default, uses)
    if like_default is not None:
        return like_default
    if told and place.is_device:
        return replace(tensor_given(uses), place=place)
    if place is not Place.ACCELERATOR:
        return _given(run, uses) if place is Place.GIVEN else UNKNOWN
    given = _given_by_framework(run, parameter.arg, first) if run.frame.in_forward else None
    if given is not None:
        return given
    uses = run.uses_as_given(parameter.arg)
    enough = first and default is None and uses is not None and uses.may_be_tensor()
    if uses is not None and (enough or uses.speak_for_tensor()):
        return Tensor(place, scalar=False)
    if _fed_to_modules(run, parameter.arg):
        return Tensor(place, scalar=False)
    if default is not None or not run.frame.in_forward:
        return UNKNOWN
    return ARGUMENT if first else ITEM


def _by_default(run: Run, name: str, default: ast.expr | None, uses: Uses | None) -> Value | None:
    """What an argument is of which there are others by default: numbers, texts, lists of such."""
    if isinstance(default, ast.Constant) and default.value is not None:
        return Scalar(_DEFAULTS.get(type(default.value), ScalarKind.OTHER))
    return NO_TENSOR if _is_list(run, name, default, uses) else None


def _is_list(run: Run, name: str, default: ast.expr | None, uses: Uses | None) -> bool:
    """Whether an argument is a list or tuple by its default, one of constants or of nothing.

    It is not where it is used as a tensor, asked for its type, or taken as it is if it is one.

    Args:
        uses: how it is used.
    """
    if not isinstance(default, (ast.List, ast.Tuple)):
        return False
    if not all(isinstance(part, ast.Constant) for part in default.elts):
        return False
    if uses and (uses.may_be_tensor() or uses.asked_for_tensor or uses.asked_for_other):
        return False
    calls = (n for n in run.file.nodes_in(run.frame.node) if isinstance(n, ast.Call))
    takers = (call for call in calls if last_component(call.func) in _TAKES_EITHER)
    return not any(path_of(arg) == name for call in takers for arg in call.args)


def _given_by_framework(run: Run, name: str, first: bool) -> Value | None:
    """What a framework passes for a parameter, where the method is one of its interface.

    Lightning passes its batch by position, unless the first one asks for the loader's iterator,
    which gives batches as they are loaded.

    Source: `_build_kwargs` in `lightning/pytorch/loops/training_epoch_loop.py`.
    """
    method = getattr(run.frame.node, "name", "")
    if first and method in catalog.LIGHTNING_STEPS:
        return UNKNOWN if name == catalog.ITERATOR_OF_STEPS else Bundle(Place.ACCELERATOR)
    if not is_loss_of_trainer(run.frame.owner, method):
        return None
    if name == "inputs":
        return Bundle(Place.ACCELERATOR)
    model = Obj(Place.ACCELERATOR, module=True)
    return run.allocate(model, None) if name == "model" else None


def _given(run: Run, uses: Uses | None, of_any_type: bool = True) -> Value:
    """What a function is given, going by its uses.

    Args:
        of_any_type: whether it may be a tensor, for all that its annotation says.
    """
    if uses is None:
        return UNKNOWN
    if uses.lists_parameters():
        return run.allocate(Obj(Place.GIVEN, module=True, stateful=True), None)
    is_tensor = of_any_type and uses.are_of_tensor_alone()
    return tensor_given(uses) if is_tensor else _given_by_test(uses)


def _given_by_test(uses: Uses | None) -> Value:
    """What a function is given that asks for its type: a tensor, or the other case."""
    if uses is None or not uses.may_be_of_tensor():
        return UNKNOWN
    return choice([tensor_given(uses), NO_TENSOR])


def _annotated(run: Run, parameter: ast.arg, place: Place) -> Value:
    """What an argument is, going by its annotation."""
    value = annotated_value(run, parameter.annotation, place)
    if isinstance(value, Instance):
        obj = run.obj(value)
        if _is_kept_part(run, parameter.arg) and not obj.moves_inputs:
            run.update(value, replace(obj, stateful=None))
        elif obj.stateful is None and _has_state(run, parameter.arg):
            run.update(value, replace(obj, stateful=True))
    if value == Tensor(Place.GIVEN):
        return tensor_given(run.uses_of(parameter.arg))
    if value != UNKNOWN or place is not Place.ACCELERATOR:
        return value
    if _mentions_tensor(parameter.annotation):
        return ARGUMENT
    return ITEM if run.frame.in_forward else value  # an object, which may hold tensors


def _is_kept_part(run: Run, name: str) -> bool:
    """Whether `__init__` gets a module that may be an activation: nothing says it has state."""
    in_init = getattr(run.frame.node, "name", "") == "__init__"
    return in_init and not _has_state(run, name)


def _has_state(run: Run, name: str) -> bool:
    """Whether an argument's uses say that it is a module with parameters or buffers."""
    uses = run.uses_of(name)
    return uses is not None and uses.has_state()


def _mentions_tensor(annotation: ast.expr | None) -> bool:
    """Whether an annotation that is not understood as a whole has to do with tensors."""
    return annotation is not None and any(
        getattr(part, "attr", getattr(part, "id", "")) in TENSOR_CLASSES
        for part in walk(annotation)
    )


def _fed_to_modules(run: Run, name: str) -> bool:
    """Whether a parameter goes, as it is, into a module of the object that takes a tensor there.

    Or into a method of its own that uses it as one.
    """
    bound = run.frame.bound
    if not isinstance(bound, Instance):
        return False
    attrs = run.obj(bound).attrs
    for node in run.nodes_with_given(name):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        for position, item in enumerate(node.args):
            if isinstance(item, ast.Name) and item.id == name:
                value = attrs.get(node.func.attr, UNKNOWN)
                if isinstance(value, Instance) and _takes_tensor(run, value, position):
                    return True
                if value == UNKNOWN and _own_takes_tensor(run, bound, node.func, position):
                    return True
    return False


def _own_takes_tensor(run: Run, bound: Instance, called: ast.Attribute, position: int) -> bool:
    """Whether a method of the object at hand uses one of its arguments as a tensor."""
    is_own = isinstance(called.value, ast.Name) and called.value.id == "self"
    method = bound.cls.lookup(called.attr) if is_own and bound.cls else None
    if not isinstance(method, Function) or decorated(method.node, "staticmethod", "classmethod"):
        return False
    parameters = binding.positional_parameters(method.node)[1:]
    if position >= len(parameters) or not says_nothing(parameters[position].annotation):
        return False
    file, name = context_of(method.file), parameters[position].arg
    if name in file.off_accelerator(method.node):
        return False
    uses = file.uses_in(method.node).get(name)
    return uses is not None and uses.speak_for_tensor() and not uses.converted


def _takes_tensor(run: Run, module: Instance, position: int) -> bool:
    """Whether an argument of a module is a tensor, going by its `forward` if that is in sight."""
    if module.cls is None or not run.obj(module).module:
        return run.obj(module).module
    forward = module.cls.lookup("forward")
    if not isinstance(forward, Function) or len(run.frames) > MAX_DEPTH:
        return False
    parameters = binding.positional_parameters(forward.node)[1:]
    if position >= len(parameters):
        return False
    if parameters[position].arg in context_of(forward.file).off_accelerator(forward.node):
        return False
    run.frames.append(frame_for(run, replace(forward, bound=module), in_forward=True))
    try:
        value = _declared_value(
            run, parameters[position], None, Place.ACCELERATOR, first=position == 0
        )
    finally:
        run.frames.pop()
    return any(isinstance(option, Tensor) for option in alternatives(value))
