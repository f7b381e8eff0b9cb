"""What the catalog says that calls of PyTorch may give is true of the installed one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.catalog.accepted import dumped
from tests.catalog.samples import ignore_warnings, member
from torchdev_lint.catalog.accepted import FILE, refuses, table

pytestmark = pytest.mark.slow

ONE = torch.ones(1)


def test_made_again() -> None:
    assert dumped() == Path(FILE).read_text("ascii")


@ignore_warnings
@pytest.mark.parametrize("name", sorted(table()))
def test_others_raise(name: str) -> None:
    """What isn't taken raises a `TypeError`: a name, or more by position than there may be."""
    most = table()[name].most
    of_tensor = [ONE] if name.startswith("torch.Tensor.") else []
    with pytest.raises((TypeError, RuntimeError)):
        member(name)(*of_tensor, nothing_of_that_name=1)
    assert refuses(name, 0, {"nothing_of_that_name"})
    if most is not None:
        with pytest.raises((TypeError, RuntimeError)):
            member(name)(*of_tensor, *[1] * (most + 1))
        assert refuses(name, most + 1, frozenset())


@ignore_warnings
@pytest.mark.parametrize(
    ("name", "arguments", "keywords"),
    [
        ("torch.zeros", (2, 3), {"device": "cpu"}),
        ("torch.ones", ((2, 3),), {"requires_grad": True}),
        ("torch.arange", (0, 4, 2), {"dtype": torch.float32}),
        ("torch.linspace", (0, 1), {"steps": 3}),
        ("torch.sum", (ONE,), {"axis": 0, "keepdims": True}),
        ("torch.nonzero", (ONE,), {"as_tuple": True}),
        ("torch.add", (ONE,), {"other": ONE, "alpha": 2}),
        ("torch.addmm", (1, torch.ones(2, 2), 1, torch.ones(2, 2), torch.ones(2, 2)), {}),
        ("torch.std", (torch.ones(3), 0, True, True), {}),
        ("torch.norm", (torch.ones(3), 2, 0), {"keepdim": True}),
        ("torch.nn.functional.relu", (ONE, True), {}),
        ("torch.nn.functional.softmax", (ONE,), {"dim": 0, "_stacklevel": 2}),
        (
            "torch.nn.functional.conv2d",
            (torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)),
            {"padding": 1},
        ),
        ("torch.nn.Linear", (2, 3, False), {"device": "cpu", "dtype": torch.float64}),
        ("torch.nn.CrossEntropyLoss", (), {"size_average": None, "label_smoothing": 0.1}),
        ("torch.optim.SGD", ([ONE],), {"lr": 1, "foreach": False}),
        ("torch.Tensor.mean", (ONE, 0), {"keepdim": True}),
        ("torch.Tensor.sum", (ONE,), {"axis": 0}),
        ("torch.Tensor.view", (torch.ones(4), 2, 2), {}),
        ("torch.Tensor.permute", (torch.ones(1, 2), 1, 0), {}),
        ("torch.Tensor.to", (ONE, "cpu"), {"non_blocking": True}),
        ("torch.Tensor.max", (torch.ones(2, 2), 1, True), {}),
        ("torch.Tensor.split", (torch.ones(4), 2), {"dim": 0}),
        ("torch.Tensor.backward", (nn.Parameter(ONE).sum(),), {"retain_graph": True}),
        ("torch.Tensor.expand", (ONE, 3, -1), {}),
        ("torch.Tensor.flip", (torch.ones(1, 2), 1, 0), {}),
        ("torch.Tensor.reshape", (torch.ones(4), 2, 2), {}),
        ("torch.Tensor.resize_", (torch.ones(4), 2, 2), {}),
        ("torch.Tensor.transpose", (torch.ones(1, 2), 0, 1), {}),
        ("torch.Tensor.tile", (ONE, 3, 1), {}),
        ("torch.Tensor.new_full", (ONE, (2, 2), 1), {}),
        ("torch.Tensor.new_empty", (ONE, 3, 1), {}),
        ("torch.Tensor.squeeze", (torch.ones(1, 2), (0, 1)), {}),
        ("torch.Tensor.any", (torch.ones(1, 2), 0, True), {}),
        ("torch.Tensor.new", (ONE, 2, 3), {}),
        ("torch.Tensor.index_put_", (torch.ones(2), (torch.tensor([0]),), ONE, True), {}),
        ("torch.Tensor.scatter_", (torch.ones(1, 2), 1, torch.tensor([[0]]), 1.0), {}),
        ("torch.Tensor.scatter_add_", (torch.ones(2), 0, torch.tensor([0]), ONE), {}),
        ("torch.Tensor.unfold", (torch.ones(4), 0, 2, 1), {}),
        ("torch.Tensor.clamp", (ONE, 0, 1), {}),
        ("torch.Tensor.type", (ONE, torch.float64), {"non_blocking": True}),
        ("torch.Tensor.unsafe_chunk", (ONE, 1, 0), {}),
        ("torch.Tensor.repeat", (ONE, 3, 1), {}),
        ("torch.Tensor.new_zeros", (ONE, 3, 1), {"device": "cpu"}),
        ("torch.Tensor.cuda", (), {"device": 0, "non_blocking": True}),
        ("torch.Tensor.masked_fill_", (torch.ones(2), torch.ones(2) > 0, 2.0), {}),
    ],
)
def test_what_works_is_taken(
    name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    if arguments:
        member(name)(*arguments, **keywords)
    given = len(arguments) - name.startswith("torch.Tensor.") * bool(arguments)
    assert name in table() or name == "torch.norm"
    assert not refuses(name, given, keywords.keys())
