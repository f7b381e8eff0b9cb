"""What the catalog says of methods, attributes and devices is true of the installed PyTorch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.catalog.samples import member
from torchdev_lint.catalog import devices, methods, modules, operations

ELSEWHERE = {"npu"}
"""Methods that come with a package of their own, `torch_npu`."""
SUBJECT = torch.ones(2, 3, requires_grad=True)
CONTAINERS: tuple[type, ...] = (dict, list, tuple, set, str)


def on_tensors(name: str) -> bool:
    """Whether tensors have a member."""
    return name in dir(torch.Tensor) or name in ELSEWHERE


def on_modules(name: str) -> bool:
    """Whether modules have a member."""
    return hasattr(nn.Module(), name) or name in ELSEWHERE


@pytest.mark.parametrize("name", sorted(methods.MOVES))
def test_moves(name: str) -> None:
    """Tensors and modules have them."""
    assert on_tensors(name) and on_modules(name)


@pytest.mark.parametrize("name", sorted(methods.TENSOR_MOVES | operations.CASTS))
def test_moves_of_tensors_are_kept_by_assignment(name: str) -> None:
    """Tensors have them, and none changes its tensor in place."""
    assert on_tensors(name) and not name.endswith("_")
    assert name in methods.KEPT_BY_ASSIGNMENT


@pytest.mark.parametrize("name", sorted(methods.MODULE_MOVES))
def test_moves_of_modules(name: str) -> None:
    """Modules have them."""
    assert on_modules(name)


@pytest.mark.parametrize("name", sorted(methods.TENSOR_MEMBERS))
def test_members_that_speak_for_a_tensor(name: str) -> None:
    """Tensors have them; modules and Python's containers don't."""
    assert on_tensors(name) and not on_modules(name)
    assert not any(hasattr(container, name) for container in CONTAINERS)


@pytest.mark.parametrize(
    "name", sorted(methods.ONLY_TENSOR_METHODS | methods.ONLY_TENSOR_ATTRIBUTES)
)
def test_what_only_tensors_have_speaks_for_them(name: str) -> None:
    """It is a part of what speaks for a tensor; methods are methods."""
    assert name in methods.TENSOR_MEMBERS
    assert callable(getattr(SUBJECT, name)) is (name in methods.ONLY_TENSOR_METHODS)


@pytest.mark.parametrize("name", sorted(methods.TENSORS_FROM_TENSORS))
def test_what_arrays_do_not_have(name: str) -> None:
    """Arrays have none of these methods."""
    numpy = pytest.importorskip("numpy", reason="compares tensors with its arrays")
    assert on_tensors(name) and not hasattr(numpy.ones(1), name)


@pytest.mark.parametrize("name", sorted(methods.NOT_OF_TENSORS))
def test_what_tensors_lack(name: str) -> None:
    """They have no member that is called so."""
    assert not on_tensors(name)


@pytest.mark.parametrize("name", sorted(methods.ANY_TENSOR_MEMBERS))
def test_members_of_tensors(name: str) -> None:
    """Tensors have them."""
    assert on_tensors(name)


@pytest.mark.parametrize("name", sorted(n for n in dir(SUBJECT) if not n.startswith("_")))
def test_all_members_of_tensors_are_known(name: str) -> None:
    """Methods of tensors are in their group, perhaps without an underscore; so is the rest."""
    method = not {name, name.rstrip("_")}.isdisjoint(methods.TENSOR_METHODS)
    assert method or (
        name in methods.TENSOR_ATTRIBUTES and not callable(getattr(SUBJECT, name, None))
    )


@pytest.mark.parametrize("name", sorted(methods.TENSOR_ATTRIBUTES))
def test_attributes_of_tensors(name: str) -> None:
    """Tensors have them."""
    assert on_tensors(name)


@pytest.mark.parametrize("name", sorted(methods.TAKING_TENSORS))
def test_methods_that_combine_tensors(name: str) -> None:
    """Tensors have them; modules, arrays and Python's containers don't."""
    numpy = pytest.importorskip("numpy", reason="compares tensors with its arrays")
    assert on_tensors(name) and not on_modules(name) and not hasattr(numpy.ones(1), name)
    assert not any(hasattr(container, name) for container in CONTAINERS)


@pytest.mark.parametrize("name", sorted(methods.TENSOR_METHODS))
def test_methods_of_tensors(name: str) -> None:
    """Tensors have them, perhaps in place only."""
    assert on_tensors(name) or on_tensors(f"{name}_")


@pytest.mark.parametrize("name", sorted(methods.TENSOR_ARGUMENTS))
def test_arguments_of_methods(name: str) -> None:
    """Tensors, and no modules, have these methods."""
    assert on_tensors(name) and not on_modules(name)


@pytest.mark.parametrize("name", sorted(methods.SAME_TENSOR))
def test_attributes_in_the_same_place(name: str) -> None:
    """They are tensors that live where theirs does."""
    subject = torch.ones(2, 2, dtype=torch.complex64, device="meta")
    subject.grad = torch.ones_like(subject)
    value = getattr(subject, name)
    assert isinstance(value, torch.Tensor) and value.device == subject.device


@pytest.mark.parametrize("name", sorted(methods.NUMBER_METHODS))
def test_methods_that_give_numbers(name: str) -> None:
    """They give a number of a tensor with one element, and no module or container has them."""
    assert type(getattr(torch.ones(1), name)()) in {int, float} and not on_modules(name)
    assert not any(hasattr(container, name) for container in CONTAINERS)


def test_attributes_that_are_no_tensors() -> None:
    """They are numbers and booleans."""
    for name in methods.NUMBER_ATTRIBUTES:
        assert type(getattr(SUBJECT, name)) is int, name
    for name in methods.FLAG_ATTRIBUTES:
        assert type(getattr(SUBJECT, name)) is bool, name


def test_structures_and_tensors_are_told_apart() -> None:
    """What speaks against a tensor is no member of one, but for sparse tensors' `values`."""
    assert {n for n in methods.STRUCTURE_MEMBERS if on_tensors(n)} <= {"values"}
    assert not methods.STRUCTURE_MEMBERS & methods.TENSOR_MEMBERS


@pytest.mark.parametrize("name", sorted(methods.STRUCTURE_METHODS))
def test_methods_of_structures(name: str) -> None:
    """Each is a method of a tensor, a list or a dict."""
    assert on_tensors(name) or hasattr(dict, name) or hasattr(list, name)


@pytest.mark.parametrize("name", sorted(devices.ACCELERATOR_TYPES - {"npu", "gpu"}))
def test_types_of_accelerators(name: str) -> None:
    """`torch.device` takes them."""
    assert torch.device(name).type == name != devices.HOST_TYPE


@pytest.mark.parametrize("name", sorted(devices.AVAILABLE))
def test_functions_that_ask_for_an_accelerator(name: str) -> None:
    """They are there, and answer."""
    assert member(name)() in {True, False}


@pytest.mark.parametrize("text", ["use_cuda", "cuda", "gpus", "has_gpu", "cuda_available"])
def test_flags_of_accelerators(text: str) -> None:
    """They speak of an accelerator, and not of the host."""
    assert devices.ACCELERATOR_FLAG.match(text) and devices.ABOUT_DEVICES.search(text)
    assert not devices.HOST_FLAG.match(text)


@pytest.mark.parametrize("text", ["no_cuda", "disable_gpu", "use_cpu", "cpu_only"])
def test_flags_of_the_host(text: str) -> None:
    """They speak of the host, and not of an accelerator."""
    assert devices.HOST_FLAG.match(text) and devices.ABOUT_DEVICES.search(text)
    assert not devices.ACCELERATOR_FLAG.match(text)


@pytest.mark.parametrize("name", sorted(modules.FLUENT_METHODS - {"share_memory"}))
def test_fluent_methods(name: str) -> None:
    """They give back their module."""
    module = nn.Linear(1, 1)
    arguments: dict[str, tuple[Any, ...]] = {"apply": (nn.Module.eval,), "type": (torch.half,)}
    assert getattr(module, name)(*arguments.get(name, ())) is module


@pytest.mark.parametrize("name", sorted(modules.WITH_WEIGHT))
def test_layers_with_weight(name: str) -> None:
    """Their `weight` is a parameter, and is one of the attributes with state."""
    arguments = {"Linear": (1, 1), "Embedding": (1, 1), "Bilinear": (1, 1, 1)}.get(name, (1, 1, 1))
    assert isinstance(getattr(nn, name)(*arguments).weight, nn.Parameter)
    assert "weight" in modules.STATE_ATTRIBUTES and name in modules.LAYERS


def test_attributes_with_state() -> None:
    """A layer has each of them."""
    layers = (nn.MultiheadAttention(2, 1), nn.BatchNorm1d(1), nn.Linear(1, 1))
    for name in modules.STATE_ATTRIBUTES:
        assert any(isinstance(getattr(layer, name, None), torch.Tensor) for layer in layers), name


@pytest.mark.parametrize("name", sorted(modules.WRAPPERS))
def test_wrappers(name: str) -> None:
    """They are functions of torch."""
    assert callable(member(name))


@pytest.mark.parametrize("name", sorted(modules.REGISTERING_METHODS))
def test_registering_methods(name: str) -> None:
    """Modules have them, tensors don't."""
    assert on_modules(name) and not on_tensors(name)


def test_names_that_are_taken() -> None:
    """A module has them, or (`device`, `dtype`) only those of frameworks do."""
    assert {n for n in modules.TAKEN_NAMES if not on_modules(n)} == {"device", "dtype"}


@pytest.mark.parametrize("container", [torch.nn.ModuleDict, torch.nn.ParameterDict])
def test_no_key_of_a_dict_is_the_name_of_a_member(container: type[torch.nn.Module]) -> None:
    members = {name for name in dir(container()) if not name.startswith("_")}
    assert members <= modules.TAKEN_BY_DICTS


@pytest.mark.parametrize("name", sorted(modules.STATE_HOOKS))
def test_modules_have_what_takes_care_of_their_state(name: str) -> None:
    assert hasattr(torch.nn.Module, name) or hasattr(torch.nn.Module(), name)
