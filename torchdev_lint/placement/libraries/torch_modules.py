"""Calling modules."""

from __future__ import annotations

import ast
from contextlib import nullcontext

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.catalog.ecosystem import MODEL_LIBRARIES, takes_pictures_alone
from torchdev_lint.catalog.metrics import is_comparing
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.meetings import expand
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.defects.rebuilt import excuse, note_use
from torchdev_lint.placement.domain.arguments import Arguments, Operand, is_one_input
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import CONTAINED, Obj, is_left, put_back_by
from torchdev_lint.placement.domain.joins import with_axes
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Function,
    Instance,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import extended_layer
from torchdev_lint.placement.evidence.counts import holds_sizes
from torchdev_lint.placement.evidence.leaving_inputs import models_leave_inputs
from torchdev_lint.placement.facts.events import CalledOnHost
from torchdev_lint.placement.libraries.module_inputs import inputs, recognized
from torchdev_lint.placement.libraries.module_meetings import (
    certain_partner,
    given_partner,
    meet_added,
    meet_host_module,
    meet_module,
    number_as_whole,
)
from torchdev_lint.placement.libraries.registry import Call, call_library
from torchdev_lint.placement.libraries.torch_axes import layer_axes, takes_other_axes
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.crossing import entering
from torchdev_lint.placement.python.giving_back import may_be_brought_back
from torchdev_lint.placement.python.left_behind import applying
from torchdev_lint.placement.python.module_containers import contained, element, only_computes
from torchdev_lint.placement.python.namespaces import ANY_OF_PROJECT
from torchdev_lint.placement.python.object_attributes import bind_method
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.calls import applied
from torchdev_lint.syntax.names import path_of, short

_OF_DATA = frozenset({OriginKind.BATCH, OriginKind.ENCODING, OriginKind.FACTORY, OriginKind.LOADED})
"""What makes the inputs of models."""
_SEQUENTIAL = "torch.nn.Sequential"
_TAKEN_AS_THEY_ARE = ("torch.", *MODEL_LIBRARIES)
"""Libraries whose modules meet all that they are given."""


def call_instance(run: Run, instance: Instance, arguments: Arguments, node: ast.Call) -> Value:
    """Evaluate the call of an object: a module, or something with `__call__`."""
    obj = run.obj(instance)
    if instance.cls is not None:
        return _call_own(run, instance, obj, arguments, node)
    if not obj.module:
        name = f"{instance.library}.__call__"
        return call_library(Call(run, name, arguments, node, instance))
    return call_foreign(run, instance, obj, arguments, node)


def _call_own(
    run: Run, instance: Instance, obj: Obj, arguments: Arguments, node: ast.Call
) -> Value:
    assert instance.cls is not None
    forward = instance.cls.lookup("__call__")
    if forward is None and obj.module:
        # `nn.Module.__call__` asks the object, which may have got another one: `self.forward = ...`
        forward = obj.attrs.get("forward") or instance.cls.lookup("forward")
    if forward is None and (layer := extended_layer(instance.cls)) and not obj.moves_inputs:
        extended = replace(instance, cls=None, library=layer)
        return call_foreign(run, extended, replace(obj, stateful=True), arguments, node)
    if forward is None and _is_sequential(instance.cls):
        return _call_sequential(run, instance, arguments, node)
    if not isinstance(forward, Function) or obj.moves_inputs:
        return UNKNOWN
    if obj.module and obj.place is Place.HOST:
        run.note(CalledOnHost(node))
    if obj.module and not run.frame.in_forward:
        arguments = entering(run, arguments, node, module=True)
    partner = certain_partner(arguments.operands())
    if partner is not None:
        note_use(run, obj, node)
    bound = bind_method(forward, instance)
    assert isinstance(bound, Function)
    stays = is_left(obj) or put_back_by(obj) is not None
    is_whole = run.applied is None and stays and not run.is_elsewhere
    partner = partner or given_partner(arguments.operands())
    with applying(run, node, partner) if partner and is_whole else nullcontext():
        value = functions.call_function(run, bound, arguments, in_forward=obj.module, node=node)
    if obj.module and not run.frame.in_forward:
        excuse(run, value)
    return value


def _call_sequential(run: Run, instance: Instance, arguments: Arguments, node: ast.Call) -> Value:
    """Evaluate the call of an object whose class extends `nn.Sequential`, with known parts."""
    functions.build_late(run, instance)
    obj = run.obj(instance)
    parts = contained(obj)
    if not parts or obj.moves_inputs:
        return UNKNOWN
    stateful = any(run.obj(part).stateful for part in parts if isinstance(part, Instance)) or None
    whole = replace(instance, cls=None, library=_SEQUENTIAL)
    return call_foreign(run, whole, replace(obj, stateful=stateful), arguments, node)


def _is_sequential(info: ClassInfo) -> bool:
    """Whether a class extends `nn.Sequential`, and nothing else that is out of sight."""
    return info.library_bases() == [_SEQUENTIAL] and not any(p.opaque for p in info.lineage())


def call_foreign(
    run: Run, instance: Instance, obj: Obj, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate the call of a module whose code is out of sight."""
    last = instance.library.rpartition(".")[2]
    if _is_refused(run, instance, obj, arguments):
        fails(run, node)
        return UNKNOWN
    if instance.library == ANY_OF_PROJECT and (
        len(arguments.positional) != 1 or arguments.keywords
    ):
        return UNKNOWN  # losses take two things, and have no state; what models do is not known
    operands = list(expand(inputs(last, recognized(instance, arguments))))
    if last in catalog.LOSSES | catalog.JOINING or is_comparing(instance.library):
        return _call_loss(run, instance, obj, operands, node)
    if obj.stateful is False or only_computes(run, obj):
        return _like_first(instance.library, operands)
    if obj.moves_inputs:
        return _call_mover(run, instance, obj, arguments, node)
    parts = _parts_in_turn(run, instance, obj)
    meets_all = not parts or parts[0].cls is None  # what is in sight takes what it is given itself
    if meets_all and (obj.stateful or (obj.stateful is None and last in catalog.CONTAINERS)):
        leaves = _leaves_its_input(run, instance, obj, arguments)
        certain = [o for o in operands if leaves or not _may_answer_for(run, instance, o)]
        meet_module(run, obj, certain, node)
    is_moved = obj.place is Place.ACCELERATOR and instance.library.startswith(MODEL_LIBRARIES)
    if run.leaves_modules and (is_moved or last == "Sequential"):
        meet_added(run, obj, operands, node)
    own = instance.library.startswith("torch.")
    if obj.stateful is None and not own and certain_partner(operands) is None:
        return UNKNOWN  # a module without state gives what is where its inputs are
    value = _in_turn(run, parts, arguments, node)
    if value == UNKNOWN:
        value = _module_result(run, obj, instance.library, operands)
    return value if instance.library else _of_any(run, value, arguments, node)


def _of_any(run: Run, value: Value, arguments: Arguments, node: ast.Call) -> Value:
    """What a module of whatever class gives.

    Args:
        value: what it gives if it leaves that where it is.
    """
    if value == UNKNOWN:
        return with_its_input(run, arguments, node)
    if may_be_brought_back(run):
        return UNKNOWN
    if not isinstance(value, Bundle) or not given_by_module(value.place, arguments).mixed:
        return value
    return replace(value, mixed=True)


def _call_mover(
    run: Run, instance: Instance, obj: Obj, arguments: Arguments, node: ast.Call
) -> Value:
    """Call a module that may move its inputs, since nobody knows its class, or does so."""
    if _leaves_its_input(run, instance, obj, arguments):
        meet_module(run, obj, arguments.operands(), node)
    elif instance.cls is None and not instance.library and obj.place is not Place.ACCELERATOR:
        value = with_its_input(run, arguments, node)
        return given_by_module(obj.place, arguments) if value == UNKNOWN else value
    return given_by_module(obj.place, arguments)


def given_by_module(place: Place, arguments: Arguments) -> Bundle:
    """What a module out of sight gives: parts of it may be of what it is given on the CPU.

    Args:
        place: where the module is.
    """
    given = (option for value in arguments.values() for option in alternatives(value))
    mixed = place is Place.ACCELERATOR and any(map(_may_be_on_host, given))
    return Bundle(place, mixed=mixed)


def _may_be_on_host(value: Value) -> bool:
    if isinstance(value, (Tensor, Bundle)):
        return value.place in (Place.HOST, Place.UNKNOWN) and not value.scalar
    return isinstance(value, Unknown)


def with_its_input(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    """What a module of whatever class gives for the one part of a batch that it is called with.

    In a project of which no model moves its input that is on the host, as the input is, or the call
    fails.
    """
    if not is_one_input(arguments) or run.is_elsewhere or not run.supposing:
        return UNKNOWN
    value, fed = arguments.positional[0][0], run.what_is_fed()
    if not isinstance(value, (Bundle, Tensor)) or value.place is not Place.HOST:
        return UNKNOWN
    if value.origin is None or value.origin.kind is not OriginKind.BATCH:
        return UNKNOWN
    if not fed.batches or fed.own or path_of(applied(node)) in fed.parallel:
        return UNKNOWN
    return Bundle(Place.HOST, value.origin) if models_leave_inputs(run.file.path) else UNKNOWN


def _parts_in_turn(run: Run, instance: Instance, obj: Obj) -> list[Instance]:
    """The parts of a `Sequential` whose parts are all known, some of them of classes in sight.

    Of those that a loop builds it is not known how many there are: then it is one of each kind.
    What is registered later may take the place of one.
    """
    if instance.library != _SEQUENTIAL or obj.attrs.keys() != {CONTAINED}:
        return []
    parts = contained(obj) or alternatives(element(obj))
    modules = [part for part in parts if isinstance(part, Instance) and part != instance]
    is_known = len(modules) == len(parts) and all(run.obj(part).module for part in modules)
    return modules if is_known and any(part.cls is not None for part in modules) else []


def _in_turn(run: Run, parts: list[Instance], arguments: Arguments, node: ast.Call) -> Value:
    """Call modules, each with what the one before it gives."""
    if len(arguments.positional) != 1 or arguments.keywords or arguments.bundles or not parts:
        return UNKNOWN
    value, given = arguments.positional[0]
    for part in parts:
        value = call_instance(run, part, Arguments(positional=[(value, given)]), node)
        if value == UNKNOWN:
            break
    return value


def _is_refused(run: Run, instance: Instance, obj: Obj, arguments: Arguments) -> bool:
    """Whether a layer refuses what it is given, on every machine.

    It takes a tensor, and no list of tensors, as a batch is whose samples are tuples, nor several,
    if it is none of those that do. What a loop puts into a container of its own kind is one object
    with it, and so its own first part.
    """
    if _takes_one(instance.library) and "forward" not in obj.attrs and arguments.has_several():
        return True
    if instance.library in catalog.WITH_TWO_STATES and _is_made(arguments.get(1, "hx")):
        return True
    seen = {instance}
    while instance.library == _SEQUENTIAL:
        parts = contained(obj)
        if not parts or not isinstance(parts[0], Instance) or parts[0] in seen:
            return False
        instance, obj = parts[0], run.obj(parts[0])
        seen.add(instance)
    owner, _, last = instance.library.rpartition(".")
    given = arguments.get(0, "input")
    if owner != "torch.nn":
        return False
    return takes_other_axes(last, given) or (last in catalog.LAYERS and _is_list_of_tensors(given))


def _takes_one(library: str) -> bool:
    """Whether what a function or class of a library gives is called with one thing alone."""
    return library in catalog.ONE_INPUT or takes_pictures_alone(library)


def _is_list_of_tensors(value: Value | None) -> bool:
    return all(
        isinstance(option, Sequence)
        and option.kind in (SequenceKind.LIST, SequenceKind.TUPLE)
        and any(isinstance(item, (Tensor, Bundle)) for item in option.items or ())
        for option in alternatives(value or UNKNOWN)
    )


def _is_made(state: Value | None) -> bool:
    """Whether something is a tensor for certain: code in sight has made it."""
    return isinstance(state, Tensor) and state.origin is not None


def _may_answer_for(run: Run, instance: Instance, operand: Operand) -> bool:
    """Whether a module out of sight may do with an argument what it likes.

    A class of another file may move its input itself, may want lengths on the CPU, or an index;
    those of libraries leave all of that to the caller. What a `forward` makes is another matter:
    it calls its parts with what is where they are, but for sizes, which they may count with. What
    another class has made it hands on as it gets it.
    """
    made = [o.origin for o in alternatives(operand.value) if isinstance(o, (Tensor, Bundle))]
    if not instance.library.startswith(_TAKEN_AS_THEY_ARE):
        if any(origin is not None and holds_sizes(origin.node) for origin in made):
            return True
    if instance.cls is not None or instance.library:
        return False
    classes = {"", _class_of(run.frame.scope)}
    return any(
        origin is not None and not (origin.in_forward and _class_of(origin.scope) in classes)
        for origin in made
    )


def _class_of(scope: str) -> str:
    """The class around a function, or the function around it; empty for one at the top."""
    return scope.rpartition(".")[0].partition(".")[0]


def _leaves_its_input(run: Run, instance: Instance, obj: Obj, arguments: Arguments) -> bool:
    """Whether a model of whatever class meets the one thing that it is called with.

    That is so in a project of which no model moves its input.
    """
    if instance.cls is not None or instance.library or obj.place is not Place.ACCELERATOR:
        return False
    if not is_one_input(arguments) or not run.supposing or run.is_elsewhere:
        return False
    value = arguments.positional[0][0]
    if not isinstance(value, (Bundle, Tensor)) or value.place is not Place.HOST:
        return False
    if value.origin is None or value.origin.kind not in _OF_DATA or value.origin.in_forward:
        return False
    return models_leave_inputs(run.file.path)


def _like_first(library: str, operands: list[Operand]) -> Value:
    if operands and isinstance(operands[0].value, Tensor):
        alike = replace(operands[0].value, registered=False, axes=None)
        return with_axes(alike, layer_axes(library, operands))
    return operands[0].value if operands and isinstance(operands[0].value, Bundle) else UNKNOWN


def _call_loss(
    run: Run, instance: Instance, obj: Obj, operands: list[Operand], node: ast.Call
) -> Value:
    last = instance.library.rpartition(".")[2]
    if obj.stateful and obj.place is Place.HOST and obj.origin is not None:
        meet_host_module(run, obj, operands, node)
    if last == "CTCLoss":
        operands = operands[:1]
    policy = Policy.BROADCAST if last in catalog.BROADCAST_LOSSES else Policy.STRICT
    return operate(run, short(node.func), node, operands, policy)


def _module_result(run: Run, obj: Obj, library: str, operands: list[Operand]) -> Value:
    """What a module gives lives where the module does.

    A layer that was left on the host is a defect of its own: what it gives counts as being
    where it should be. A module that is given what is on the accelerator is there itself, wherever
    it was before; so is one that may be anywhere, and is given something of the caller's.
    """
    last = library.rpartition(".")[2]
    is_layer = last in catalog.LAYERS - catalog.RECURRENT or last == "Sequential"
    place = obj.place
    if certain_partner(operands):
        place = Place.ACCELERATOR
    elif place in (Place.HOST, Place.UNKNOWN) and given_partner(operands):
        place = Place.GIVEN
    number = number_as_whole(run, obj) if place is Place.ACCELERATOR else None
    if is_layer:
        if place is Place.UNKNOWN:
            return UNKNOWN
        return with_axes(Tensor(place, False, number), layer_axes(library, operands))
    return Bundle(place, number) if place is Place.ACCELERATOR else UNKNOWN
