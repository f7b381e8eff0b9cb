"""How many axes layers and functions take, held against the installed PyTorch."""

from __future__ import annotations

from contextlib import suppress

import pytest

from torchdev_lint.catalog.axes import OF_FUNCTIONS, OF_LAYERS

torch = pytest.importorskip("torch")
_WIDTH = 4
"""How long each axis is: for layers, also how many channels there are."""


def _axes_taken(call: object) -> set[int]:
    taken = set()
    for axes in range(1, 7):
        with suppress(RuntimeError, ValueError, NotImplementedError, IndexError, AssertionError):
            call(torch.ones(*[_WIDTH] * axes))  # type: ignore[operator]  # a module of any kind
            taken.add(axes)
    return taken


@pytest.mark.parametrize("name", sorted(OF_LAYERS))
def test_layers_take_no_others(name: str) -> None:
    given = [_WIDTH, _WIDTH, 1] if name.startswith("Conv") else [_WIDTH]
    if not name.startswith(("Conv", "BatchNorm", "InstanceNorm")):
        given = [1]
    assert _axes_taken(getattr(torch.nn, name)(*given)) == set(OF_LAYERS[name])


@pytest.mark.parametrize("name", sorted(OF_FUNCTIONS))
def test_functions_take_no_others(name: str) -> None:
    function = getattr(torch.nn.functional, name)
    dimensions = int(name[-2])
    kernel = torch.ones(_WIDTH, _WIDTH, *[1] * dimensions) if name.startswith("conv") else 1
    assert _axes_taken(lambda x: function(x, kernel)) == set(OF_FUNCTIONS[name])
