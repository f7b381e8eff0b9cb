"""Stand-ins for DataParallel, DistributedDataParallel and `torch.distributed` on one device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.parallel
from torch import distributed
from torch.nn.parallel import DataParallel

from .claims import HOST, with_index


def sent(value: Any, device: torch.device) -> Any:
    """Move the tensors of nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(sent(element, device) for element in value))
    if isinstance(value, (list, tuple)):
        return type(value)(sent(element, device) for element in value)
    if isinstance(value, dict):
        return type(value)((key, sent(element, device)) for key, element in value.items())
    return value


def _chunks(
    tensor: torch.Tensor,
    devices: Sequence[int],
    chunk_sizes: Sequence[int] | None = None,
    dim: int = 0,
    streams: Any = None,
) -> tuple[torch.Tensor, ...]:
    """Stand in for what `nn.parallel.scatter` ends in."""
    if chunk_sizes:
        parts = torch.split(tensor, list(chunk_sizes), dim)
    else:
        parts = torch.chunk(tensor, len(devices), dim)
    return tuple(part.to(with_index(d)) for part, d in zip(parts, devices, strict=False))


def _joined(tensors: Sequence[torch.Tensor], dim: int, destination: int | None) -> torch.Tensor:
    """Stand in for what `nn.parallel.gather` ends in; -1 is the host."""
    for index, tensor in enumerate(tensors):
        if not tensor.is_cuda:
            raise RuntimeError(
                "Expected all input tensors to be CUDA tensors, but tensor at index "
                f"{index} has device '{tensor.device}'"
            )
    return torch.cat(list(tensors), dim).to(HOST if destination == -1 else with_index("cuda"))


def _copies(tensor: torch.Tensor, devices: Sequence[int]) -> list[torch.Tensor]:
    """Stand in for what `torch.cuda.comm.broadcast` ends in."""
    return [tensor.to(with_index(device)) for device in devices]


def _copies_of_all(
    tensors: Sequence[torch.Tensor], devices: Sequence[int], buffer_size: int = 0
) -> list[list[torch.Tensor]]:
    """Stand in for what `nn.parallel.replicate` ends in."""
    return [[tensor.to(with_index(device)) for tensor in tensors] for device in devices]


def _scatter(self: Any, inputs: Any, kwargs: Any, device_ids: Any) -> tuple[Any, Any]:
    device = with_index(device_ids[0])
    return [sent(inputs, device)], [sent(kwargs or {}, device)]


class DistributedDataParallel(torch.nn.Module):
    """One process's share of DDP: inputs go to `device_ids[0]`, gradients stay."""

    def __init__(
        self, module: torch.nn.Module, device_ids: Sequence[Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids = device_ids

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run the module on inputs that are moved as DDP moves them."""
        if self.device_ids:
            device = with_index(self.device_ids[0])
            inputs, kwargs = sent(inputs, device), sent(kwargs, device)
        return self.module(*inputs, **kwargs)


class _Group:
    """Whether the only process has joined a group."""

    joined = False


def _init(*args: Any, **kwargs: Any) -> None:
    _Group.joined = True


def _destroy(*args: Any, **kwargs: Any) -> None:
    _Group.joined = False


def _constant(value: Any) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        return value

    return answer


def patch() -> None:
    """Replace parallel execution with that of a single process on a single device."""
    setattr(DataParallel, "scatter", _scatter)
    below: dict[str, Callable[..., Any]] = {
        "_scatter": _chunks,
        "_gather": _joined,
        "_broadcast": _copies,
        "_broadcast_coalesced": _copies_of_all,
    }
    for name, replacement in below.items():
        setattr(torch._C, name, replacement)
    for holder in (torch.nn.parallel, torch.nn.parallel.distributed):
        setattr(holder, "DistributedDataParallel", DistributedDataParallel)
    replacements: dict[str, Callable[..., Any]] = {
        "init_process_group": _init,
        "destroy_process_group": _destroy,
        "is_available": _constant(True),
        "is_initialized": lambda: _Group.joined,
        "get_rank": _constant(0),
        "get_world_size": _constant(1),
        "barrier": _constant(None),
        "broadcast": _constant(None),
        "all_reduce": _constant(None),
    }
    for name, replacement in replacements.items():
        setattr(distributed, name, replacement)
