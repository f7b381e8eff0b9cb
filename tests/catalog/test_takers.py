"""What takes a tensor first takes nothing else, so that having been taken proves a tensor."""

from __future__ import annotations

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
}
FURTHER: tuple[tuple[Any, ...], ...] = (
    (), (1,), (1, 1), (0.5,), (torch.ones(3),), (torch.ones(3), torch.ones(3)),
)  # fmt: skip

REFUSALS = (TypeError, AttributeError)


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


@pytest.mark.parametrize("name", sorted(modules.TENSOR_TAKERS))
def test_layers(name: str) -> None:
    arguments = {"Bilinear": (1, 1, 1), "GroupNorm": (1, 1)}
    sizes = (1, 1, 1) if "Conv" in name else (1, 1) if name in {"Linear", "Embedding"} else (1,)
    layer = getattr(nn, name)(*arguments.get(name, sizes))
    for other, further in product(OTHERS.values(), FURTHER[:1] + FURTHER[4:]):
        with pytest.raises(REFUSALS):
            layer(other, *further)
