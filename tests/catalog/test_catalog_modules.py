"""What the catalog says of modules is true of the installed PyTorch."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from torch import nn

from tests.catalog.samples import ignore_warnings, member
from torchdev_lint.catalog import ecosystem, modules, operations

LAYER_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "AdaptiveLogSoftmaxWithLoss": (4, 8, [2, 4]),
    "Bilinear": (2, 3, 4),
    "Embedding": (5, 3),
    "EmbeddingBag": (5, 3),
    "Linear": (3, 4),
    "MultiheadAttention": (4, 2),
    "Transformer": (4, 2, 1, 1, 8),
    "TransformerDecoderLayer": (4, 2, 8),
    "TransformerEncoderLayer": (4, 2, 8),
    "PReLU": (),
    **dict.fromkeys((*modules.CONDITIONAL_LAYERS, *modules.OPTIONAL_LAYERS), (4,)),
    **dict.fromkeys(("GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"), (3, 4)),
    **{name: (3, 4, 2) for name in modules.LAYERS if name.startswith("Conv")},
    **{name: (3, 2) for name in modules.LAZY_LAYERS if "Conv" in name},
    "LazyLinear": (3,),
    "SyncBatchNorm": (4,),
} | {"GroupNorm": (2, 4)}
# Arguments by the names of parameters that have no default.
REQUIRED: dict[str, Any] = {
    "output_size": 2, "kernel_size": 2, "padding": 1, "groups": 1, "value": 0.0, "num_channels": 4,
    "lambd": 0.5, "p": 2.0, "norm_type": 2.0, "size": 2, "upscale_factor": 2, "downscale_factor": 2,
    "threshold": 0.1, "dim": 1, "unflattened_size": (2, 2), "scale_factor": 2,
}  # fmt: skip
NOT_CLASSIFIED = {
    "Container": "deprecated alias of Module",
    "DataParallel": "see PARALLEL",
    "LinearCrossEntropyLoss": "new in torch 2.13: a layer and a loss at once",
    "Module": "see MODULE_BASES",
    "RNNBase": "base class",
    "RNNCellBase": "base class",
}


def build(name: str, **keywords: Any) -> nn.Module:
    """Build a module of `torch.nn`."""
    cls: type[nn.Module] = getattr(nn, name)
    if name in LAYER_ARGUMENTS:
        return cls(*LAYER_ARGUMENTS[name], **keywords)
    needed = {
        parameter.name: REQUIRED[parameter.name]
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.default is parameter.empty and parameter.name in REQUIRED
    }
    if name.startswith("FractionalMaxPool"):
        needed["output_size"] = 2
    return cls(**needed, **keywords)


def has_state(module: nn.Module) -> bool:
    """Whether there is anything to move."""
    return any(True for _ in (*module.parameters(), *module.buffers()))


@ignore_warnings
@pytest.mark.parametrize("name", sorted(modules.LAYERS | modules.LAZY_LAYERS))
def test_layers_have_state(name: str) -> None:
    """Layers have parameters or buffers, on the host."""
    module = build(name)
    assert has_state(module)
    assert {p.device.type for p in module.parameters()} <= {"cpu"}


@pytest.mark.parametrize("name", sorted(modules.STATELESS | modules.JOINING))
def test_stateless_modules_have_none(name: str) -> None:
    """Nothing to move."""
    assert not has_state(build(name))


@pytest.mark.parametrize("name", sorted(modules.CONDITIONAL_LAYERS))
def test_conditional_layers(name: str) -> None:
    """They have state unless all their flags are false."""
    flags = modules.CONDITIONAL_LAYERS[name]
    assert name in modules.LAYERS
    assert not has_state(build(name, **dict.fromkeys(flags, False)))
    for flag in flags:
        assert has_state(build(name, **{**dict.fromkeys(flags, False), flag: True}))


@pytest.mark.parametrize("name", sorted(modules.OPTIONAL_LAYERS))
def test_optional_layers(name: str) -> None:
    """They have state if one of their flags is true."""
    assert not has_state(build(name))
    for flag in modules.OPTIONAL_LAYERS[name]:
        assert has_state(build(name, **{flag: True}))


@ignore_warnings
@pytest.mark.parametrize("name", sorted(modules.AFFINE))
def test_affine_layers(name: str) -> None:
    """An argument decides whether they have parameters."""
    flag, position, default = modules.AFFINE[name]
    signature = list(inspect.signature(getattr(nn, name)).parameters.values())
    assert (signature[position].name, signature[position].default) == (flag, default)
    assert not list(build(name, **{flag: False}).parameters())
    assert list(build(name, **{flag: True}).parameters())


@ignore_warnings
def test_other_layers_have_parameters() -> None:
    """Without such an argument a layer has parameters that ask for gradients."""
    for name in (modules.LAYERS | modules.LAZY_LAYERS) - modules.AFFINE.keys():
        assert any(parameter.requires_grad for parameter in build(name).parameters()), name
        assert not any("affine" in n for n in inspect.signature(getattr(nn, name)).parameters)


@pytest.mark.parametrize("argument", modules.GIVEN_WEIGHTS)
def test_given_weights(argument: str) -> None:
    """An embedding takes its weights from outside, or keeps them as they are."""
    assert argument in inspect.signature(nn.Embedding).parameters


@ignore_warnings
@pytest.mark.parametrize("name", sorted(modules.LOSSES))
def test_losses(name: str) -> None:
    """They have no state but a weight they are given."""
    assert not has_state(build(name))
    accepted = inspect.signature(getattr(nn, name)).parameters
    for weight in modules.LOSS_WEIGHTS:
        if weight in accepted:
            assert has_state(build(name, **{weight: torch.ones(3)}))
    tensors = {n for n, p in accepted.items() if "Tensor" in str(p.annotation)}
    if not any("Callable" in str(p.annotation) for p in accepted.values()):
        assert tensors <= set(modules.LOSS_WEIGHTS)


def test_broadcast_losses_are_the_functions() -> None:
    """A broadcasting loss is the module of a broadcasting function."""
    names = {name.removesuffix("Loss").lower() for name in modules.BROADCAST_LOSSES}
    functions = {name.removesuffix("_loss").replace("_", "") for name in operations.BROADCAST}
    assert names == functions


def test_containers_hold_what_they_are_given() -> None:
    """A container's state is that of its content."""
    layer, relu = nn.TransformerEncoderLayer(4, 2, 8), nn.ReLU()
    assert not has_state(nn.Sequential(relu)) and has_state(nn.Sequential(layer))
    for name in ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict"):
        assert not has_state(getattr(nn, name)())
    assert has_state(nn.TransformerEncoder(layer, 1, enable_nested_tensor=False))
    for name in modules.CONTAINERS:
        assert issubclass(getattr(nn, name), nn.Module)


def test_all_modules_are_classified() -> None:
    """Each module that `torch.nn` exports is in the catalog, once, or left out for a reason."""
    groups: list[frozenset[str]] = [
        modules.LAYERS, modules.LAZY_LAYERS, modules.CONTAINERS, modules.STATELESS, modules.JOINING,
        modules.LOSSES, frozenset(modules.OPTIONAL_LAYERS),
    ]  # fmt: skip
    listed = [name for group in groups for name in group]
    assert len(listed) == len(set(listed))
    exported = {
        name
        for name in dir(nn)
        if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)
    }
    assert exported - set(listed) == NOT_CLASSIFIED.keys()
    assert set(listed) <= exported


def test_names_of_wrappers_and_bases() -> None:
    """Names that the catalog gives in full exist."""
    for name in modules.PARALLEL:
        assert issubclass(member(name), nn.Module)
    assert issubclass(member("torch.utils.data.DataLoader"), object)
    torch_loaders = [name for name in ecosystem.LOADERS if name.startswith("torch.")]
    assert all(isinstance(member(name), type) for name in torch_loaders)


@pytest.mark.parametrize("name", sorted(modules.MODULE_METHODS))
def test_module_methods(name: str) -> None:
    """They speak for a module: tensors have none of them."""
    foreign = {"from_pretrained", "save_pretrained", "gradient_checkpointing_enable"}
    assert hasattr(nn.Module, name) or name in foreign
    assert not hasattr(torch.Tensor, name)


@pytest.mark.parametrize("name", sorted(modules.HANDS_OUT_PARTS))
def test_parts_are_handed_out(name: str) -> None:
    """A module has a member of that name, which is not said to leave its parts alone."""
    assert hasattr(torch.nn.Linear(1, 1), name)
    assert name not in modules.LEAVES_IN_PLACE


@pytest.mark.parametrize("name", sorted(modules.LEAVES_IN_PLACE & set(dir(torch.nn.Linear(1, 1)))))
def test_what_leaves_modules_in_place(name: str) -> None:
    """Its code moves nothing to a device that somebody names."""
    method = getattr(torch.nn.Linear, name, None)
    parameters = inspect.signature(method).parameters if callable(method) else {}
    assert "device" not in parameters


_OF_BASES = {"LinearCrossEntropyLoss": (4, 3)}
"""What is built with more than nothing, or its number of channels."""


@ignore_warnings
@pytest.mark.parametrize("name", sorted(n for n in modules.BUFFERS_OF_BASES if n[0] != "_"))
def test_buffers_of_bases(name: str) -> None:
    arguments = _OF_BASES.get(name, () if "Loss" in name or name.startswith("Lazy") else (4,))
    module = getattr(nn, name)(*arguments)
    assert set(module._buffers) == modules.BUFFERS_OF_BASES[name]


def test_no_layer_inherits_from_another_one() -> None:
    """What is of one of these classes is of none of the others."""
    classes = {getattr(nn, name) for name in modules.LAYERS | modules.CONTAINERS}
    assert {c: bases for c in classes if (bases := classes & set(c.__mro__[1:]))} == {}
