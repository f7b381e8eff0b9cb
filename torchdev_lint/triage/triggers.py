"""What may lead to a finding, told from names alone: derived from the catalog.

A name that is added to a group of the catalog which is read here needs no further entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from torchdev_lint.catalog import checkpoints, ecosystem, factories, graphs, modules
from torchdev_lint.catalog.classes import ClassKind, kinds_of
from torchdev_lint.catalog.metrics import counts_in_tensors


class Trigger(Enum):
    """Something in a file without which a rule finds nothing. Rules say which they need."""

    FACTORY = "a tensor made on the host, outside the `__init__` of a module"
    ATTRIBUTE = "a tensor made in there, which the module keeps as it is"
    LAYER = "a module built outside of there"
    LOSS = "a loss with a weight"
    MOVE = "a move or cast whose result is thrown away"
    LOADER = "a data loader"
    PART = "something moved where a loop is, perhaps beside what is not"
    READER = "a tensor read, loaded or encoded on the host"
    CHECKPOINT = "something read to the device it was saved from"
    PRETRAINED = "a model, tokenizer or processor that is loaded"
    ARRAY = "an array that is made of what may be a tensor"
    LEAF = "a move of a tensor that is to be trained, where it is made"
    LOST = "a move that is bound to a variable which nothing reads"
    CONTAINER = "a move of what may be a list, tuple, set or dict"
    MADE_TWICE = "a tensor that is made on the CPU, and moved at once"
    TRAINING = "what each step of a training does"
    NAMED = "a move to CUDA by its name, where the code may have a device"
    AMP = "mixed precision, which may be for CUDA alone"
    CUDA_ONLY = "what the CPU does, or CUDA, and not each accelerator, or not at once"
    APART = "a move to the CPU, or another accelerator, of what goes on being a tensor"
    KEPT = "a plain container of modules or parameters that a module keeps as an attribute"


def _last(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in names)


_GROUPS = {
    Trigger.FACTORY: _last(factories.FACTORIES | factories.DISTRIBUTIONS),
    Trigger.LOSS: modules.LOSSES,
    Trigger.LAYER: modules.LAYERS
    | modules.CONTAINERS
    | modules.LAZY_LAYERS
    | modules.OPTIONAL_LAYERS.keys(),
    Trigger.LOADER: _last(ecosystem.LOADERS) | graphs.GRAPH_LOADERS,
    Trigger.READER: _last(
        ecosystem.HOST_READERS
        | ecosystem.AUDIO_READERS
        | checkpoints.CHECKPOINT_READERS
        | checkpoints.SAFETENSORS_READERS
        | ecosystem.IMAGE_TO_TENSOR
    ),
    Trigger.CHECKPOINT: _last(checkpoints.MAPPING_READERS) - _last(checkpoints.CHECKPOINT_READERS),
    Trigger.PRETRAINED: ecosystem.PRETRAINED,
}

TRIGGER_OF = {name: trigger for trigger, names in _GROUPS.items() for name in names}
"""What the call of a function means, by the last component of its name."""


def trigger_of_class(name: str) -> Trigger | None:
    """Return what building a class of a library means, or calling what builds one."""
    kinds = kinds_of(name) or ()
    if ClassKind.LOADER in kinds:
        return Trigger.LOADER
    has_state = ecosystem.builds_model(name) or counts_in_tensors(name)
    if name in ecosystem.BUFFERED_TRANSFORMS or has_state:
        return Trigger.LAYER
    return Trigger.LAYER if ClassKind.LAYER in kinds else None
