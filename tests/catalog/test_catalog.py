"""What the catalog says of factories and dtypes is true of the installed PyTorch.

`test_catalog_modules.py` does the same for modules, `test_catalog_operations.py` for the operations
on tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils import _device as device_mode

from tests.catalog.samples import ignore_warnings, member
from torchdev_lint.catalog import ecosystem, factories

SIZE = (2, 3)
INDICES, VALUES = [[0, 1], [0, 1]], [1.0, 2.0]
POINTERS = [0, 1, 2]

FACTORY_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(factories.SIZED, SIZE),
    **dict.fromkeys(factories.VECTORS, (4,)),
    **dict.fromkeys(factories.WINDOWS, (4,)),
    **dict.fromkeys(factories.FFT, (4,)),
    "linspace": (0.0, 1.0, 4),
    "logspace": (0.0, 1.0, 4),
    "range": (0, 3),
    "generate_square_subsequent_mask": (4,),
    "general_cosine": (4,),
    "general_hamming": (4,),
    "empty_permuted": (SIZE, (1, 0)),
    "empty_strided": (SIZE, (1, 2)),
    "eye": (3,),
    "full": (SIZE, 1.0),
    "normal": (0.0, 1.0, SIZE),
    "randint": (4, SIZE),
    "tril_indices": SIZE,
    "triu_indices": SIZE,
    "as_tensor": (VALUES,),
    "asarray": (VALUES,),
    "scalar_tensor": (1.0,),
    "tensor": (VALUES,),
    "sparse_coo_tensor": (INDICES, VALUES, (2, 2)),
    "sparse_csr_tensor": (POINTERS, [0, 1], VALUES, (2, 2)),
    "sparse_csc_tensor": (POINTERS, [0, 1], VALUES, (2, 2)),
    "sparse_bsr_tensor": (POINTERS, [0, 1], [[[1.0]], [[2.0]]], (2, 2)),
    "sparse_bsc_tensor": (POINTERS, [0, 1], [[[1.0]], [[2.0]]], (2, 2)),
    "sparse_compressed_tensor": (POINTERS, [0, 1], VALUES, (2, 2)),
}
FACTORY_KEYWORDS: dict[str, dict[str, Any]] = {
    "general_cosine": {"a": [0.5, 0.5]},
    "sparse_compressed_tensor": {"layout": torch.sparse_csr},
}
# Functions that obey `torch.device` as a context, and are no factories for the catalog.
OTHER_CONSTRUCTORS = {
    "empty_quantized": "copies a quantized tensor's parameters; internal",
    "nested_tensor": "a list of tensors, which keep their device",
}


def make(name: str, **keywords: Any) -> torch.Tensor:
    """Call a factory."""
    last = name.rpartition(".")[2]
    function: Callable[..., torch.Tensor] = member(name)
    return function(*FACTORY_ARGUMENTS[last], **FACTORY_KEYWORDS.get(last, {}), **keywords)


@ignore_warnings
@pytest.mark.parametrize("name", sorted(factories.TAKES_DEVICE))
def test_factories_take_a_device(name: str) -> None:
    """Without one the result is on the host, with one it is there."""
    assert make(name).device.type == "cpu"
    assert make(name, device="meta").device.type == "meta"


@ignore_warnings
@pytest.mark.parametrize("name", sorted(factories.TAKES_DEVICE))
def test_factories_obey_the_context(name: str) -> None:
    """`with torch.device(...)` decides where nothing else does."""
    with torch.device("meta"):
        assert make(name).device.type == ("cpu" if name in factories.DEAF else "meta")


def test_all_constructors_are_listed() -> None:
    """What torch calls a constructor is a factory of the catalog."""
    known = {member(name) for name in factories.TAKES_DEVICE}
    missing = {function.__name__ for function in device_mode._device_constructors() - known}
    assert missing == OTHER_CONSTRUCTORS.keys()


@pytest.mark.parametrize("name", sorted(factories.WITHOUT_DEVICE))
def test_factories_without_device(name: str) -> None:
    """They refuse `device`, and ignore the context."""
    function = member(f"torch.{name}")
    numpy = pytest.importorskip("numpy", reason="these factories take its arrays")
    data = numpy.ones(4, dtype="float32")
    keywords = {"dtype": torch.float32} if name == "frombuffer" else {}
    with pytest.raises(TypeError):
        function(data, device="cpu", **keywords)
    with torch.device("meta"):
        assert function(data, **keywords).device.type == "cpu"


@pytest.mark.parametrize("name", sorted(factories.LEGACY))
def test_legacy_constructors(name: str) -> None:
    """They give host tensors with dimensions, whatever the context."""
    with torch.device("meta"):
        made = member(f"torch.{name}")(2)
    assert made.device.type == "cpu" and made.dim() == 1
    assert f"torch.cuda.{name}" in factories.ACCELERATOR_LEGACY or name == "Tensor"


def test_accelerator_legacy_exists() -> None:
    """Each has the name of a tensor type in `torch.cuda`."""
    for name in factories.ACCELERATOR_LEGACY:
        assert isinstance(member(name), type), name


@ignore_warnings
@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name in factories.TAKES_DEVICE
        if name.rpartition(".")[2] in factories.VECTORS | factories.FFT | factories.WINDOWS
    ),
)
def test_vectors(name: str) -> None:
    """One dimension."""
    assert make(name).dim() == 1


@pytest.mark.parametrize("name", sorted(factories.SIZED))
def test_sized(name: str) -> None:
    """The positional arguments are the size."""
    function = member(f"torch.{name}")
    assert function(2, 3).shape == function((2, 3)).shape == SIZE
    assert function(()).dim() == 0


@pytest.mark.parametrize(("name", "place"), sorted(factories.SIZE_IN_ONE.items()))
def test_size_in_one(name: str, place: tuple[int, str]) -> None:
    """No tensor is taken for the size, not even one whole number."""
    given = dict(zip(("mean", "std"), (0.0, 1.0), strict=True)) if place[0] else {"fill_value": 1.0}
    assert member(name)(**given, size=SIZE).shape == SIZE
    for size in (torch.ones(SIZE), torch.tensor([4]), torch.tensor(4)):
        with pytest.raises(TypeError):
            member(name)(**given, **{place[1]: size})


@pytest.mark.parametrize("name", sorted(factories.LIKE))
def test_like(name: str) -> None:
    """They follow their first argument, unless told otherwise."""
    more = {"full_like": (1.0,), "randint_like": (4,)}.get(name, ())
    function = member(f"torch.{name}")
    assert function(torch.empty(2, device="meta"), *more).device.type == "meta"
    assert function(torch.empty(2), *more, device="meta").device.type == "meta"
    with torch.device("meta"):
        assert function(torch.ones(2, device="cpu"), *more).device.type == "cpu"


@pytest.mark.parametrize("name", sorted(factories.NEW))
def test_new(name: str) -> None:
    """They follow their tensor, unless told otherwise."""
    arguments: dict[str, tuple[Any, ...]] = {
        "new_full": (SIZE, 1.0),
        "new_tensor": (VALUES,),
        "new_empty_strided": (SIZE, (1, 2)),
    }
    given = arguments.get(name, (SIZE,))
    assert getattr(torch.empty(2, device="meta"), name)(*given).device.type == "meta"
    assert getattr(torch.empty(2), name)(*given, device="meta").device.type == "meta"


def test_new_is_complete() -> None:
    """No `new_*` method of tensors is missing."""
    assert {n for n in dir(torch.Tensor) if n.startswith("new_")} == factories.NEW


def test_dtypes() -> None:
    """They are dtypes; what is missing are types of quantisation and of bits."""
    for name in factories.DTYPES:
        assert isinstance(getattr(torch, name), torch.dtype), name
    others = {n for n in dir(torch) if isinstance(getattr(torch, n), torch.dtype)}
    for name in others - factories.DTYPES:
        assert name.startswith(("bit", "quint", "int", "uint")), name


def test_windows_are_complete() -> None:
    """`torch.signal.windows` has no other."""
    assert set(torch.signal.windows.__all__) == factories.WINDOWS
    assert math.isclose(float(torch.signal.windows.hann(3).max()), 1.0)


@pytest.mark.parametrize(
    "name", sorted({own for names in ecosystem.REEXPORTS.values() for own in names.values()})
)
def test_what_other_libraries_reexport_is_in_torch(name: str) -> None:
    assert member(name) is not None
