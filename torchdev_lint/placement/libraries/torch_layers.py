"""Building modules of libraries: the layers of `torch.nn`, models that come ready-made."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.catalog import ecosystem
from torchdev_lint.catalog import modules as catalog
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    NONE,
    Const,
    Instance,
    Origin,
    Place,
    Tensor,
    Value,
)
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.facts.views import note_view
from torchdev_lint.placement.python.arguments import Arguments
from torchdev_lint.placement.python.module_containers import build_container


def build_layer(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """Evaluate the construction of a module of `torch.nn`; None if it is none that is known.

    Args:
        name: the qualified name.
    """
    last = name.rpartition(".")[2]
    if last in catalog.CONTAINERS:
        made = _layer_origin(run, node, last)
        return build_container(run, name, arguments, node, made)
    if last in catalog.STATELESS | catalog.JOINING:
        return run.allocate(Obj(Place.UNKNOWN, module=True, stateful=False), None, name, site=node)
    if last in catalog.LOSSES:
        return _build_loss(run, name, arguments, node)
    stateful = _is_stateful(last, arguments)
    if stateful is None:
        return None
    obj = Obj(_layer_place(run, arguments), module=True, stateful=stateful)
    if stateful:
        obj = replace(obj, origin=_layer_origin(run, node, last))
    return run.allocate(obj, None, name, site=node)


def _layer_origin(run: Run, node: ast.AST, label: str) -> Origin | None:
    if run.frame.construction is not None:
        return run.frame.construction
    if run.frame.in_forward:
        note_view(run, node)
        return Origin(node, "layer", label, True, run.frame.scope)
    return None


def _is_stateful(last: str, arguments: Arguments) -> bool | None:
    if last in catalog.OPTIONAL_LAYERS:
        given = [arguments.get(-1, flag) for flag in catalog.OPTIONAL_LAYERS[last]]
        return any(value == Const(True) for value in given)
    if last in catalog.CONDITIONAL_LAYERS:
        flags = catalog.CONDITIONAL_LAYERS[last]
        return not all(arguments.get(-1, flag) == Const(False) for flag in flags)
    return True if last in catalog.LAYERS or last in catalog.LAZY_LAYERS else None


def _layer_place(run: Run, arguments: Arguments) -> Place:
    if run.doubt or arguments.any_keyword:
        return Place.UNKNOWN
    if "device" in arguments.keywords:
        value, node = arguments.keywords["device"]
        place = place_named(value, node)
        return place or (run.env.default if value == NONE else Place.UNKNOWN)
    return run.env.default


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
                origin = _layer_origin(run, node, name.rpartition(".")[2])
    obj = Obj(place, module=True, stateful=bool(attrs), attrs=attrs, origin=origin)
    return run.allocate(obj, None, name, site=node)


def foreign_model(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """Evaluate library calls that give a model on the host; None for all others."""
    last = name.rpartition(".")[2]
    if name in catalog.PARALLEL:
        inner = arguments.get(0, "module")
        place = run.obj(inner).place if isinstance(inner, Instance) else Place.UNKNOWN
        moves = last == "DataParallel" or "device_ids" in arguments.keywords
        return run.allocate(Obj(place, module=True, moves_inputs=moves), None, name, site=node)
    if last == "from_pretrained" or last in {"from_config"}:
        return _pretrained(run, name, arguments, node)
    if name.startswith(ecosystem.FOREIGN_LAYERS) and last.endswith("Conv"):
        origin = _layer_origin(run, node, last)
        return run.allocate(
            Obj(run.env.default, module=True, stateful=True, origin=origin), None, name, site=node
        )
    if name in ecosystem.MODEL_FUNCTIONS or _is_torchvision_model(name, last):
        return run.allocate(Obj(Place.HOST, module=True, stateful=True), None, name, site=node)
    return None


def _is_torchvision_model(name: str, last: str) -> bool:
    return (
        name.startswith("torchvision.models.")
        and last[:1].islower()
        and "weights" not in last.lower()
    )


def _pretrained(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """What `from_pretrained` gives; a pipeline moves its inputs itself."""
    owner = name.rpartition(".")[0].rpartition(".")[2]
    if owner.endswith("Pipeline"):
        return run.allocate(Obj(Place.UNKNOWN), None, name, site=node)
    if not name.startswith("transformers."):
        return None
    if owner.endswith(ecosystem.TOKENIZER_MARKS):
        return run.allocate(Obj(Place.HOST), None, "tokenizer", site=node)
    if "Model" in owner or "For" in owner:
        auto = (
            "device_map" in arguments.keywords
            or arguments.open_ended
            or "quantization_config" in arguments.keywords
        )
        place = Place.UNKNOWN if auto else Place.HOST
        return run.allocate(Obj(place, module=True, stateful=True), None, name, site=node)
    return None
