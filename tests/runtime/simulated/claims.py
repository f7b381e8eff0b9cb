"""The device a tensor claims to be on.

Every tensor is an ordinary CPU tensor. Its claim is an attribute of the Python object of its
storage, which torch keeps alive as long as the C++ storage lives: views, `detach`, saved tensors
and `parameter.data = tensor` therefore carry it without any help.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch

HOST = torch.device("cpu")
META = torch.device("meta")
ACCELERATOR = torch.device("cuda", 0)
ACCELERATOR_TYPE = ACCELERATOR.type


class Place(NamedTuple):
    """A line of the program under test.

    Args:
        file: which of its files, as seen from the folder of the one that is run.
        line: its number.
    """

    file: str
    line: int


# Lines of the program under test: one, and those that called it, innermost first.
Chain = tuple[Place, ...]

_ATTRIBUTE = "_simulated_claim"
# The C++ accessor: the one on torch.Tensor would travel through function modes.
_storage_of = torch._C.TensorBase.untyped_storage


@dataclass(slots=True)
class Call:
    """A torch function that is being called.

    Functions written in C++ make tensors "where that other tensor is" without naming a device that
    a mode could see.

    Args:
        device: where the function is likely to make a tensor: where its last result was, or its
            first argument before it has one.
        active: whether it is still running.
    """

    device: torch.device
    active: bool = True


@dataclass(slots=True)
class Claim:
    """Where a storage claims to live, and where in the program it was made.

    Args:
        device: the claimed device.
        origins: where the program made the values it was computed from; kept for host tensors
            only, and only where the run asks for them.
        maker: the function that made the tensor by itself, if the device is a guess.
    """

    device: torch.device = HOST
    origins: tuple[Chain, ...] = ()
    maker: Call | None = None

    @property
    def provisional(self) -> bool:
        """Whether the device is a guess, which gives way to that of what the tensor meets."""
        return self.maker is not None and self.maker.active


_UNCLAIMED = Claim()


def is_meta(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor is on torch's real `meta` device, which needs no simulation."""
    with torch._C.DisableTorchFunction():
        return tensor.is_meta


def claim_of(tensor: torch.Tensor) -> Claim:
    """Return the claim of a tensor; an untouched tensor is on the host."""
    try:
        with torch._C.DisableTorchFunction():
            storage = _storage_of(tensor)
    except (NotImplementedError, RuntimeError):  # sparse and other layouts have no storage
        return getattr(tensor, _ATTRIBUTE, _UNCLAIMED)
    return getattr(storage, _ATTRIBUTE, _UNCLAIMED)


def has_claim(tensor: torch.Tensor) -> bool:
    """Tell whether anything was ever said about this tensor's storage."""
    return claim_of(tensor) is not _UNCLAIMED


def set_claim(tensor: torch.Tensor, claim: Claim) -> None:
    """Say where a tensor lives, and with it every view of it."""
    try:
        with torch._C.DisableTorchFunction():
            storage = _storage_of(tensor)
    except (NotImplementedError, RuntimeError):
        setattr(tensor, _ATTRIBUTE, claim)
        return
    setattr(storage, _ATTRIBUTE, claim)


def device_of(tensor: torch.Tensor) -> torch.device:
    """Return the claimed device of a tensor."""
    return claim_of(tensor).device


def is_accelerator(device: torch.device) -> bool:
    """Tell whether a device is the simulated one."""
    return device.type == ACCELERATOR_TYPE


def with_index(device: torch.device | str | int | None) -> torch.device:
    """Return the full device a user's device argument stands for.

    Args:
        device: what a user may write as `device=`; a bare integer is an accelerator's index. The
            CPU has none: what is put on `cpu:0` is on `cpu`.
    """
    if device is None:
        return HOST
    if isinstance(device, int):
        return torch.device(ACCELERATOR_TYPE, device)
    parsed = torch.device(device)
    if is_accelerator(parsed) and parsed.index is None:
        return ACCELERATOR
    return HOST if parsed.type == HOST.type else parsed


def tensors_in(value: object, depth: int = 3) -> Iterator[torch.Tensor]:
    """Yield the tensors in nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for element in value:
            yield from tensors_in(element, depth - 1)
    elif depth and isinstance(value, dict):
        for element in value.values():
            yield from tensors_in(element, depth - 1)
