"""Calls into libraries: PyTorch's data loading, wrappers, built-in functions."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.catalog import ecosystem, factories
from torchdev_lint.catalog.devices import AVAILABLE
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.catalog.modules import WRAPPERS
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    DeviceValue,
    Function,
    Instance,
    Library,
    Loader,
    Origin,
    Partial,
    Place,
    Scalar,
    Sequence,
    Tensor,
    Value,
    alternatives,
    choice,
    iterator,
    sequence,
)
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.facts.meetings import operate
from torchdev_lint.placement.libraries.builtins_ import is_instance
from torchdev_lint.placement.libraries.einops import call_tensor_library
from torchdev_lint.placement.libraries.torch_factories import make_tensor
from torchdev_lint.placement.libraries.torch_layers import build_layer, foreign_model
from torchdev_lint.placement.libraries.torch_operations import call_tensor_function
from torchdev_lint.placement.libraries.torchvision import build_vision, image_tensor
from torchdev_lint.placement.python.arguments import Arguments
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.syntax.walking import walk


def call_library(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """Evaluate a call of something imported.

    Args:
        name: its qualified name.
    """
    if name.startswith("builtins."):
        return UNKNOWN
    known = call_tensor_library(run, name, arguments, node)
    if known is not None:
        return known
    if name.startswith("torchvision."):
        built = build_vision(run, name, arguments, node)
        if built is not None:
            return built
    if name.startswith("torch"):
        found = _call_torch(run, name, arguments, node)
        if found is not None:
            return found
    if name in ecosystem.TRANSPARENT_ITERATORS:
        return arguments.get(0, "iterable") or UNKNOWN
    if name.startswith("itertools."):
        return _itertools(run, name.rpartition(".")[2], arguments, node)
    if name == "functools.partial" and arguments.positional and not arguments.open_ended:
        return _partial(arguments)
    if name in {"copy.deepcopy", "copy.copy"}:
        return _copy(run, arguments)
    if _is_graph_loader(name):
        return _graph_loader(name, arguments)
    if name in ecosystem.HOST_READERS:
        return image_tensor(run, name, node)
    if name in ecosystem.AUDIO_READERS:
        return sequence([image_tensor(run, name, node), Scalar("int")], "tuple")
    if (
        name.startswith(ecosystem.SCATTERS)
        and name.rpartition(".")[2] in ecosystem.SCATTER_FUNCTIONS
    ):
        return operate(run, name.rpartition(".")[2], node, arguments.operands(), "strict")
    if name.startswith(ecosystem.IN_MEMORY_DATASETS) and not _may_move_data(node):
        origin = Origin(node, "loaded", name, run.frame.in_forward, run.frame.scope)
        return Sequence(None, Bundle(Place.HOST, origin, in_place=True), "dataset")
    return foreign_model(run, name, arguments, node) or UNKNOWN


def _graph_loader(name: str, arguments: Arguments) -> Value:
    """A loader of graphs; those that sample one large graph give parts of where it lives."""
    data = arguments.get(0, "data")
    samples = name.rpartition(".")[2] not in {"DataLoader", "DenseDataLoader"}
    if samples and not (isinstance(data, Bundle) and data.place is Place.HOST):
        return Loader(UNKNOWN)
    return Loader(Bundle(Place.HOST, in_place=True))


def _may_move_data(node: ast.Call) -> bool:
    """Whether a data set's transform may put the data on a device."""
    for keyword in node.keywords:
        if keyword.arg and keyword.arg.endswith("transform"):
            if not isinstance(keyword.value, ast.Call) or "ToDevice" in ast.unparse(keyword.value):
                return True
    return False


def _call_torch(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value | None:
    if name in factories.FACTORIES:
        return make_tensor(run, name, arguments, node)
    if name in factories.ACCELERATOR_LEGACY:
        return Tensor(Place.ACCELERATOR, False)
    if name in AVAILABLE:
        return Const(True)
    if name == "torch.Size":
        return arguments.get(0) or UNKNOWN
    if name == "torch.accelerator.current_accelerator":
        return DeviceValue(Place.ACCELERATOR)
    if name == "torch.device":
        return _device(arguments)
    if name in {"torch.set_default_device", "torch.set_default_tensor_type"}:
        _set_default(run, name, arguments)
        return NONE
    if name == "torch.is_tensor":
        return is_instance(arguments.get(0), "tensor")
    if name == "torch.autograd.Variable":
        return arguments.get(0, "data") or UNKNOWN
    if name in {"torch.nn.Parameter", "torch.nn.Buffer"}:
        return _parameter(run, arguments)
    if name in WRAPPERS and arguments.positional:
        return arguments.positional[0][0]
    if name == "torch.load":
        return _load(run, arguments, node)
    if name.startswith("torch.distributions.") and name.rpartition(".")[2][:1].isupper():
        return _distribution(run, name, arguments, node)
    if name.startswith("torch.utils.data."):
        return _data(run, name, arguments)
    layer_name = name.removesuffix(".from_pretrained")
    if name.startswith("torch.nn.") and layer_name.count(".") == 2:
        layer = build_layer(run, layer_name, arguments, node)
        if layer is not None:
            return layer
    return call_tensor_function(run, name, arguments, node)


def _device(arguments: Arguments) -> Value:
    value = arguments.get(0, "device") or arguments.get(0, "type")
    if value is None:
        return DeviceValue(Place.UNKNOWN)
    place = place_named(value, arguments.node(0, "device"))
    return DeviceValue(place or Place.UNKNOWN)


def _distribution(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """A distribution, as the sequence of what it draws: it draws where its parameters live.

    Source: https://docs.pytorch.org/docs/stable/distributions.html
    """
    operands = [o for o in arguments.operands() if isinstance(o.value, Tensor)]
    if operands:
        drawn = operate(run, name, node, operands, "elementwise")
    elif arguments.operands() and all(
        isinstance(value, (Const, Scalar)) for value in arguments.values()
    ):
        drawn = make_tensor(run, name, Arguments(), node)
    else:
        drawn = UNKNOWN
    return Sequence(None, drawn, "distribution")


def _set_default(run: Run, name: str, arguments: Arguments) -> None:
    value = arguments.get(0)
    place: Place | None = Place.UNKNOWN
    if name.endswith("tensor_type"):
        if isinstance(value, Const) and isinstance(value.value, str):
            place = Place.ACCELERATOR if ".cuda." in value.value else run.env.default
        elif isinstance(value, Library):
            place = Place.ACCELERATOR if ".cuda." in value.name else run.env.default
    elif value is not None:
        place = place_named(value, arguments.node(0))
    run.env.default = place or Place.UNKNOWN


def _parameter(run: Run, arguments: Arguments) -> Value:
    value = arguments.get(0, "data")
    options = alternatives(value) if value is not None else ()
    made: list[Value] = [
        replace(o, registered=True, origin=o.origin if run.frame.in_forward else None)
        for o in options
        if isinstance(o, Tensor)
    ]
    return choice(made) if made else Tensor(Place.UNKNOWN, registered=True)


def _load(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    target = arguments.get(1, "map_location")
    if target is None or place_named(target, None) is not Place.HOST:
        return UNKNOWN
    origin = Origin(node, "loaded", "torch.load", run.frame.in_forward, run.frame.scope)
    return Bundle(Place.HOST, origin)


def _data(run: Run, name: str, arguments: Arguments) -> Value:
    last = name.rpartition(".")[2]
    if last == "TensorDataset":
        return Sequence(
            None, sequence([_dataset_item(v) for v in arguments.values()], "tuple"), "dataset"
        )
    if last in {"Subset", "ConcatDataset"} and arguments.positional:
        return arguments.positional[0][0]
    if last == "random_split" and arguments.positional:
        return Sequence(None, arguments.positional[0][0], "list")
    if name in ecosystem.LOADERS:
        return make_loader(run, arguments)
    return UNKNOWN


def _dataset_item(value: Value) -> Value:
    if isinstance(value, Tensor) and value.place is Place.ACCELERATOR:
        return replace(value, registered=False)
    if isinstance(value, Tensor) and value.place is Place.HOST:
        return Bundle(Place.HOST, part=True)
    return UNKNOWN


def make_loader(run: Run, arguments: Arguments) -> Value:
    """Evaluate the construction of a data loader: what its batches are.

    Under another default device, batches made of numbers are there:
    `torch.utils.data.default_collate` makes them with `torch.tensor`.
    """
    collate = arguments.get(-1, "collate_fn")
    if arguments.open_ended or (collate is not None and collate != NONE and _may_move(collate)):
        pinned = arguments.get(-1, "pin_memory") == Const(True)
        return Loader(Bundle(Place.HOST)) if pinned else Loader(UNKNOWN)
    dataset = arguments.get(0, "dataset")
    if isinstance(dataset, Sequence) and dataset.kind == "dataset":
        return Loader(dataset.element if collate in (None, NONE) else Bundle(Place.HOST))
    if run.env.default is not Place.HOST:
        return Loader(UNKNOWN)
    if isinstance(dataset, (Sequence, Tensor)) and not _is_on_host(dataset):
        return Loader(UNKNOWN)
    if isinstance(dataset, Instance) and dataset.cls and mentions_devices(dataset.cls.node):
        return Loader(UNKNOWN)
    return Loader(Bundle(Place.HOST))


def _is_on_host(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.place is Place.HOST
    if isinstance(value, Sequence):
        return all(_is_on_host(item) for item in value.items or (value.element,))
    return isinstance(value, (Const, Scalar))


def _may_move(collate: Value) -> bool:
    if isinstance(collate, Function):
        return mentions_devices(collate.node)
    if isinstance(collate, Instance) and collate.cls:
        return mentions_devices(collate.cls.node)
    return True


def mentions_devices(scope: ast.AST) -> bool:
    """Whether code may put something on a device: it moves, or names a device."""
    for node in walk(scope):
        if isinstance(node, ast.Attribute) and node.attr in MOVES_TO_DEVICE | {"device"}:
            return True
        if isinstance(node, ast.Name) and "device" in node.id.lower():
            return True
        if isinstance(node, ast.keyword) and node.arg == "device":
            return True
    return False


def _is_graph_loader(name: str) -> bool:
    module, _, last = name.rpartition(".")
    return last in ecosystem.GRAPH_LOADERS and module.startswith(ecosystem.GRAPH_LOADER_MODULES)


def _itertools(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    first = arguments.get(0)
    if first is None:
        return UNKNOWN
    if name in {"islice", "cycle", "takewhile", "dropwhile"}:
        index = 1 if name.endswith("while") else 0
        return arguments.get(index) or UNKNOWN
    if name == "chain":
        return iterator(choice([element_of(run, value, node) for value in arguments.values()]))
    return UNKNOWN


def _partial(arguments: Arguments) -> Value:
    function, _ = arguments.positional[0]
    positional = tuple((v, n) for v, n in arguments.positional[1:])
    keywords = tuple((name, v, n) for name, (v, n) in arguments.keywords.items())
    return Partial(function, positional, keywords)


def _copy(run: Run, arguments: Arguments) -> Value:
    value = arguments.get(0, "x") or UNKNOWN
    if isinstance(value, Instance):
        return run.allocate(run.obj(value), value.cls, value.library)
    return value
