"""The catalog's optimizers against the installed PyTorch: when they keep tensors."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchdev_lint.catalog.optimizers import (
    FILLED_WHEN_BUILT,
    KEEP_TENSORS,
    METHODS,
    ONLY_WITH_MOMENTUM,
    OPTIMIZERS,
)

SPARSE = "torch.optim.SparseAdam"


def built(name: str, **options: Any) -> torch.optim.Optimizer:
    """Build an optimizer over the parameters of a small layer, which has gradients."""
    layer = torch.nn.Embedding(3, 2, sparse=name == SPARSE)
    layer(torch.tensor([0, 2])).sum().backward()
    kind = getattr(torch.optim, name.rpartition(".")[2])
    optimizer = kind(layer.parameters(), **options)
    assert isinstance(optimizer, torch.optim.Optimizer)
    return optimizer


def kept(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """The tensors of several elements that an optimizer keeps."""
    values = [value for state in optimizer.state.values() for value in state.values()]
    return [value for value in values if torch.is_tensor(value) and value.dim()]


def test_all_are_listed() -> None:
    members = {name: getattr(torch.optim, name) for name in dir(torch.optim)}
    found = {
        f"torch.optim.{name}"
        for name, member in members.items()
        if isinstance(member, type) and issubclass(member, torch.optim.Optimizer)
    }
    assert found - {"torch.optim.Optimizer"} == OPTIMIZERS
    assert all(hasattr(torch.optim.Optimizer, name) for name in METHODS)


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_what_is_filled_when_it_is_built(name: str) -> None:
    options = {"lr": 0.1}
    assert bool(kept(built(name, **options))) == (name in FILLED_WHEN_BUILT)


@pytest.mark.parametrize("name", sorted(KEEP_TENSORS))
def test_a_step_fills_it(name: str) -> None:
    optimizer = built(name, lr=0.1)
    optimizer.step(lambda: 1.0)
    assert kept(optimizer)


@pytest.mark.parametrize("name", sorted(ONLY_WITH_MOMENTUM))
@pytest.mark.parametrize("momentum", [0, 0.9])
def test_momentum_fills_it(name: str, momentum: float) -> None:
    optimizer = built(name, lr=0.1, momentum=momentum)
    optimizer.step()
    assert bool(kept(optimizer)) == bool(momentum)
