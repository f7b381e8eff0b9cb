"""What takes a tensor first takes nothing else, so that having been taken proves a tensor."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.catalog.samples import NAMESPACES, ignore_warnings
from torchdev_lint.catalog import modules, operations

OTHERS = {
    "a number": 2.0,
    "an integer": 3,
    "a list": [1.0, 2.0],
    "an array": np.ones(3),
    "tensors": [torch.ones(2), torch.ones(2)],
    "a tuple of tensors": (torch.ones(2), torch.ones(2)),
    "nothing": None,
    "a text": "a",
    "a packed sequence": nn.utils.rnn.pack_sequence([torch.ones(1, 1)]),
}
FURTHER: tuple[tuple[Any, ...], ...] = (
    (), (1,), (1, 1), (0.5,), (torch.ones(3),), (torch.ones(3), torch.ones(3)),
)  # fmt: skip

BUILT_WITH: tuple[tuple[Any, ...], ...] = (
    (), (1,), (1, 1), (1, 1, 1), (1, (1, 1)), (2, 3, [1]),
)  # fmt: skip

REFUSALS = (TypeError, AttributeError)


def built(name: str) -> nn.Module:
    """A layer, with the first arguments that it can be built with."""
    for arguments in BUILT_WITH:
        with suppress(TypeError, AssertionError):
            layer: nn.Module = getattr(nn, name)(*arguments)
            return layer
    raise AssertionError(f"{name} can't be built")


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.TENSOR_FIRST))
def test_functions(name: str) -> None:
    functions = [getattr(space, name) for space in NAMESPACES if hasattr(space, name)]
    for function, other, further in product(functions, OTHERS.values(), FURTHER):
        with pytest.raises((*REFUSALS, RuntimeError, ValueError, IndexError, AssertionError)):
            function(other, *further)


@pytest.mark.parametrize("name", sorted(operations.JOINS))
def test_joins(name: str) -> None:
    function = getattr(torch, name)
    function([torch.ones(2), torch.ones(2)])
    for other in (2.0, np.ones(2), [1.0, 2.0], None):
        with pytest.raises(TypeError):
            function([torch.ones(2), other])


@ignore_warnings
@pytest.mark.parametrize("name", sorted(modules.TENSOR_TAKERS))
def test_layers(name: str) -> None:
    layer = built(name)
    for other, further in product(OTHERS.values(), FURTHER[:1] + FURTHER[4:]):
        for mode in (True, False):
            with pytest.raises(REFUSALS):
                layer.train(mode)(other, *further)


@pytest.mark.parametrize("name", sorted(modules.SEQUENCE_TAKERS))
def test_recurrent_layers(name: str) -> None:
    """A packed sequence has none of what tells that something is a tensor."""
    layer = built(name)
    for what, other in OTHERS.items():
        if what == "a packed sequence":
            layer(other)
            assert not any(hasattr(other, member) for member in ("size", "shape", "device"))
        else:
            with pytest.raises(REFUSALS):
                layer(other)


@pytest.mark.parametrize("name", sorted({"Sequential"} | modules.LAYERS | modules.STATELESS))
def test_what_is_called_with_one_thing(name: str) -> None:
    parameters = list(inspect.signature(getattr(nn, name).forward).parameters.values())[1:]
    is_alone = [parameter.kind for parameter in parameters] == [
        inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    assert is_alone == (f"torch.nn.{name}" in modules.ONE_INPUT)


@pytest.mark.parametrize("name", sorted(modules.WITH_PARAMETERS))
def test_layers_with_parameters(name: str) -> None:
    assert list(built(name).parameters())


@ignore_warnings
@pytest.mark.parametrize("name", sorted(modules.WITH_PARAMETERS))
def test_what_dynamic_quantization_exchanges(name: str) -> None:
    model = nn.ModuleList([built(name)])
    exchanged = torch.ao.quantization.quantize_dynamic(model)[0]  # type: ignore[no-untyped-call]  # it has no types
    assert (type(exchanged) is not getattr(nn, name)) == (name in modules.QUANTIZED)
    if name in modules.QUANTIZED:
        assert not list(exchanged.parameters())


@pytest.mark.parametrize("name", sorted(operations.WITHOUT_DEVICE))
def test_operations_take_no_device(name: str) -> None:
    """No overload has a parameter of the name, and no function that is written in Python."""
    assert "device" not in names_of_parameters().get(name, ())
    for space in (*NAMESPACES, torch.Tensor):
        function = getattr(space, name, None)
        if inspect.isfunction(function):
            assert "device" not in inspect.signature(function).parameters


@cache
def names_of_parameters() -> dict[str, set[str]]:
    """What the overloads of operations written in C++ take."""
    found: dict[str, set[str]] = {}
    for schema in torch._C._jit_get_all_schemas():
        space, _, name = schema.name.partition("::")
        if space == "aten":
            found.setdefault(name, set()).update(each.name for each in schema.arguments)
    return found
