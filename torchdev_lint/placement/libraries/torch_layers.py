"""torch.nn: building its modules."""

from __future__ import annotations

import ast

from torchdev_lint.catalog import modules as catalog
from torchdev_lint.placement.defects.numbers import number_said
from torchdev_lint.placement.defects.rebuilt import excuse_state, note_parameters
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    NONE,
    Const,
    Instance,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.placement.python.left_behind import built_apart, let_go, remember_construction
from torchdev_lint.placement.python.module_containers import build_container, fill_inherited
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


@handles_members("torch.nn")
def _layer(call: Call) -> Value | None:
    if call.last == "__init__":
        return _initialized(call)
    name = call.name.removesuffix(".from_pretrained")
    if name.count(".") != 2:
        return None
    layer = build_layer(call.run, name, call.arguments, call.node)
    if call.last == "from_pretrained" and isinstance(layer, Instance):
        excuse_state(call.run, layer)
        _leave_with_table(call, layer)
    return layer


def _initialized(call: Call) -> Value | None:
    """A class that extends one calls its `__init__` by name: `nn.ModuleDict.__init__(self, …)`."""
    given = call.arguments.positional
    if not given or not isinstance(given[0][0], Instance):
        return None
    fill_inherited(call.run, given[0][0], replace(call.arguments, positional=given[1:]), call.node)
    return NONE


def _leave_with_table(call: Call, layer: Instance) -> None:
    """An embedding is where the table is that it is made of, which is not copied.

    Source: `Embedding.from_pretrained` in `torch/nn/modules/sparse.py`.
    """
    table = call.get(0, "embeddings")
    place = table.place if isinstance(table, Tensor) else Place.UNKNOWN
    obj = call.run.obj(layer)
    if place is not obj.place:
        call.run.update(layer, replace(obj, place=place, origin=None))


@handles(*catalog.PARALLEL)
def _parallel(call: Call) -> Value:
    """A wrapper: it lives where its module does, whichever one of several that is.

    `DataParallel` brings it to the accelerator itself if there is only one.
    Source: `DataParallel.__init__` in `torch/nn/parallel/data_parallel.py`.
    """
    inner = call.get(0, "module")
    options = () if inner is None else alternatives(inner)
    places = {call.run.obj(o).place if isinstance(o, Instance) else Place.UNKNOWN for o in options}
    place = places.pop() if len(places) == 1 else Place.UNKNOWN
    moves = call.last == "DataParallel" or "device_ids" in call.arguments.keywords
    if inner is not None and call.last == "DataParallel" and place is Place.HOST:
        place = Place.UNKNOWN
        let_go(call.run, inner)
    attrs = {} if inner is None else {"module": inner}
    obj = Obj(place, module=True, moves_inputs=moves, attrs=attrs)
    return call.run.allocate(obj, None, call.name, site=call.node)


def build_layer(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """Evaluate the construction of a module of `torch.nn`; None if it is none that is known.

    Args:
        name: the qualified name.
    """
    last = name.rpartition(".")[2]
    if last in catalog.CONTAINERS:
        made, apart = layer_origin(run, node, last), built_apart(run, node, last)
        container = build_container(run, name, arguments, node, made)
        if isinstance(container, Instance):
            remember_construction(run, container, apart)
        return container
    if last in catalog.STATELESS | catalog.JOINING:
        return run.allocate(Obj(Place.UNKNOWN, module=True, stateful=False), None, name, site=node)
    if last in catalog.LOSSES:
        return _build_loss(run, name, arguments, node)
    stateful = _is_stateful(last, arguments)
    if stateful is None:
        return None
    obj = Obj(layer_place(run, arguments), module=True, stateful=stateful)
    if stateful:
        origin = layer_origin(run, node, last)
        if _is_trainable(last, arguments):
            note_parameters(run, origin)
        number = number_said(run, obj.place, arguments.get(-1, "device"), node)
        if number is not None and (origin is None or origin.kind is not OriginKind.LAYER):
            origin = number
        obj = replace(obj, origin=origin or module_origin(run, node, last, obj.place))
    return run.allocate(obj, None, name, site=node)


def _is_trainable(last: str, arguments: Arguments) -> bool:
    """Whether a layer certainly has parameters that nothing but training sets."""
    if arguments.any_keyword or any(arguments.get(-1, name) for name in catalog.GIVEN_WEIGHTS):
        return False
    if last not in catalog.AFFINE:
        return True
    flag, position, default = catalog.AFFINE[last]
    if arguments.open_ended:
        return False
    return (arguments.get(position, flag) or Const(default)) == Const(True)


def layer_origin(run: Run, node: ast.AST, label: str) -> Origin | None:
    """The origin of a layer that is built at a node; None if that is not in `forward`."""
    if run.frame.construction is not None:
        return run.frame.construction
    if run.frame.in_forward:
        note_view(run, node)
        return run.made(node, OriginKind.LAYER, label)
    return None


def origin_of_module(run: Run, node: ast.AST, label: str, place: Place) -> Origin | None:
    """The origin of a module that is built on the host: in `forward` it is that of a layer."""
    return layer_origin(run, node, label) or module_origin(run, node, label, place)


def module_origin(run: Run, node: ast.AST, label: str, place: Place) -> Origin | None:
    """The origin of a module that is built on the host, and is no part of another one."""
    is_certain = place is Place.HOST and Mood.DOUBT not in run.moods
    return built_apart(run, node, label) if is_certain else None


def _is_stateful(last: str, arguments: Arguments) -> bool | None:
    if last in catalog.OPTIONAL_LAYERS:
        given = [arguments.get(-1, flag) for flag in catalog.OPTIONAL_LAYERS[last]]
        return any(value == Const(True) for value in given)
    if last in catalog.CONDITIONAL_LAYERS:
        flags = catalog.CONDITIONAL_LAYERS[last]
        return not all(arguments.get(-1, flag) == Const(False) for flag in flags)
    return True if last in catalog.LAYERS or last in catalog.LAZY_LAYERS else None


def layer_place(run: Run, arguments: Arguments) -> Place:
    """Where a layer is that is built with these arguments."""
    if Mood.DOUBT in run.moods or arguments.any_keyword:
        return Place.UNKNOWN
    if "device" in arguments.keywords:
        value, node = arguments.keywords["device"]
        place = place_of(run, value, node)
        return place or (run.env.settings.default if value == NONE else Place.UNKNOWN)
    return run.env.settings.default


def _build_loss(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value:
    attrs: dict[str, Value] = {}
    origin = None
    place = Place.UNKNOWN
    for weight in catalog.LOSS_WEIGHTS:
        value = arguments.get(0 if weight == "weight" else -1, weight)
        if isinstance(value, Tensor) and not (weight == "pos_weight" and value.scalar is not False):
            place = value.place
            attrs[weight] = replace(value, registered=True)
            if place is Place.HOST:
                label = name.rpartition(".")[2]
                origin = layer_origin(run, node, label) or built_apart(run, node, label)
    obj = Obj(place, module=True, stateful=bool(attrs), attrs=attrs, origin=origin)
    return run.allocate(obj, None, name, site=node)
