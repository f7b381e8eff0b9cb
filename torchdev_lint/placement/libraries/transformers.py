"""transformers and what is built like it: pretrained models, tokenizers, processors."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.bringing import (
    BRINGS_WHAT_IT_IS_GIVEN,
    INPUT_PREPARATION,
    LEAVES_ON_HOST,
    MODEL_OF_TRAINERS,
)
from torchdev_lint.catalog.ecosystem import (
    ENCODING_METHODS,
    PLACING_ARGUMENTS,
    PRETRAINED,
    TENSORS_WANTED,
    TOKENIZER,
    TOKENIZER_MARKS,
)
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import Bundle, Const, Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles, handles_everywhere
from torchdev_lint.placement.libraries.told import on_accelerator
from torchdev_lint.placement.libraries.torch_layers import origin_of_module
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.records import replace


@handles_everywhere(*PRETRAINED)
def _pretrained(call: Call) -> Value | None:
    """What `from_pretrained` gives; a pipeline moves its inputs itself."""
    run, given = call.run, call.arguments
    owner = call.name.rpartition(".")[0].rpartition(".")[2]
    if owner.endswith("Pipeline"):
        return run.allocate(Obj(Place.UNKNOWN), None, call.name, site=call.node)
    if not call.name.startswith("transformers."):
        return None
    if owner.endswith(TOKENIZER_MARKS):
        return run.allocate(Obj(Place.HOST), None, TOKENIZER, site=call.node)
    if "Model" in owner or "For" in owner:
        placed = given.keywords.keys() & PLACING_ARGUMENTS
        is_open = given.open_ended or given.any_keyword
        place = Place.UNKNOWN if placed or is_open else run.env.settings.default
        origin = origin_of_module(run, call.node, owner, place)
        obj = Obj(place, module=True, stateful=True, origin=origin)
        return run.allocate(obj, None, call.name, site=call.node)
    return None


@handles(*BRINGS_WHAT_IT_IS_GIVEN)
def _trainer(call: Call) -> Value | None:
    """A trainer has its model on the accelerator that is there, unless it may be told otherwise.

    Source: `Trainer.__init__` in `transformers/trainer.py`, `_move_model_to_device`.
    """
    for value in call.arguments.values():
        let_go(call.run, value)
    nodes = call.run.file.nodes_in(call.run.module.node)
    told = any(isinstance(node, ast.keyword) and node.arg in LEAVES_ON_HOST for node in nodes)
    place = Place.UNKNOWN if told else Place.ACCELERATOR
    model = call.run.allocate(Obj(place, module=True), None, site=call.node)
    held: dict[str, Value] = {MODEL_OF_TRAINERS: model}
    return call.run.allocate(Obj(Place.UNKNOWN, attrs=held), None, call.name)


@handles(*(f"{trainer}.{INPUT_PREPARATION}" for trainer in BRINGS_WHAT_IT_IS_GIVEN))
def _prepared(call: Call) -> Value | None:
    """A trainer brings its inputs to where it has the model."""
    given = call.get(0, "inputs")
    brought = None if given is None else on_accelerator(call.run, given)
    return replace(brought, stays=True) if isinstance(brought, Bundle) else brought


@handles(*(f"{TOKENIZER}.{method}" for method in ("__call__", *ENCODING_METHODS)))
def _encode(call: Call) -> Value | None:
    """What a tokenizer or processor gives is on the host, unless tensors are made elsewhere now.

    One for images makes them on the device that it is told, one for texts doesn't listen.
    """
    if call.get(-1, TENSORS_WANTED) != Const("pt") or Mood.DOUBT in call.run.moods:
        return None
    if call.run.env.settings.default is not Place.HOST or _is_told_device(call):
        return Bundle(Place.UNKNOWN, in_place=True)
    if call.run.frame.in_forward:
        note_view(call.run, call.node)
    origin = call.run.made(call.node, OriginKind.ENCODING, "the tokenizer")
    return Bundle(Place.HOST, origin, in_place=True)


def _is_told_device(call: Call) -> bool:
    """Whether a call names a device that may be another one than the CPU."""
    told = call.get(-1, "device")
    named = None if told is None else place_of(call.run, told, call.arguments.node(-1, "device"))
    return told is not None and named is not Place.HOST
