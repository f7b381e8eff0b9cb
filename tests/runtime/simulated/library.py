"""Patches on the libraries around tensors: modules, optimizers, files, threads."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import autograd, serialization
from torch.utils import _foreach_utils

from . import watching
from .claims import (
    _ATTRIBUTE,
    Claim,
    claim_of,
    device_of,
    is_accelerator,
    tensors_in,
    with_index,
)
from .mode import DispatchWatch, FunctionWatch, calling
from .moves import moved, parse_to, require
from .operands import Mixing, Operand


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """Stand in for what `Module.to` reads its arguments with."""
    device, dtype, non_blocking, _, memory_format = parse_to(args, kwargs)
    if device is not None and device.type != "meta":
        require(device)
    return device, dtype, non_blocking, memory_format


def _grouped(
    tensorlistlist: Sequence[Sequence[torch.Tensor | None]], with_indices: bool = False
) -> dict[Any, Any]:
    """Group an optimizer's lists by the device and dtype of their first list."""
    groups: dict[Any, Any] = {}
    for index, first in enumerate(tensorlistlist[0]):
        assert first is not None
        key = (device_of(first), first.dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for own, given in zip(lists, tensorlistlist, strict=True):
            if given:
                own.append(given[index])
        indices.append(index)
    return groups


def _storage_claim(storage: Any) -> Claim:
    claim: Claim = getattr(storage, _ATTRIBUTE, Claim())
    return claim


def _location_of(storage: Any) -> str | None:
    device = _storage_claim(storage).device
    return str(device) if is_accelerator(device) else None


def _restore(storage: Any, location: str) -> Any:
    """Put a loaded storage on the accelerator; leave other places to torch.

    A program may say that there is none, as if it went on on another machine.
    """
    if not str(location).startswith("cuda"):
        return None
    if not torch.cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but "
            "torch.cuda.is_available() is False."
        )
    device = with_index(str(location))
    require(device)
    setattr(storage, _ATTRIBUTE, Claim(device))
    return storage


def _storage_clone(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def clone(self: Any) -> Any:
        copy = original(self)
        setattr(copy, _ATTRIBUTE, _storage_claim(self))
        return copy

    return clone


def _storage_cuda(self: Any, device: Any = None, non_blocking: bool = False) -> Any:
    copy = self.clone()
    return _restore(copy, str(with_index("cuda" if device is None else device)))


def _run_with_modes(original: Callable[..., Any]) -> Callable[..., Any]:
    """Modes belong to a thread; a new one enters its own."""

    @functools.wraps(original)
    def run(self: threading.Thread) -> Any:
        watcher = watching.current()
        with FunctionWatch(watcher), DispatchWatch(watcher):
            return original(self)

    return run


def _backward(original: Callable[..., Any]) -> Callable[..., Any]:
    """Backward formulas create tensors like the outputs they start from."""

    @functools.wraps(original)
    def run(outputs: Any, gradients: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = enumerate(zip(outputs, gradients, strict=True))
        gradients = tuple(_beside(index, *pair) for index, pair in pairs)
        with calling(next(tensors_in(list(outputs)), None)):
            return original(outputs, gradients, *args, **kwargs)

    return run


def _beside(index: int, output: Any, gradient: Any) -> Any:
    """Return the gradient where its output is: a 0-dim one is moved, others must be there."""
    if not isinstance(output, torch.Tensor) or not isinstance(gradient, torch.Tensor):
        return gradient
    expected, found = device_of(output), device_of(gradient)
    if found != expected and gradient.dim():
        error = RuntimeError(
            f"invalid gradient at index {index} - expected device {expected} but got {found}"
        )
        odd = Operand("gradient", gradient, claim_of(gradient))
        watching.current().meet("backward", Mixing(error, [odd], expected))
    return moved(gradient, expected)


def _compile(model: Any = None, **kwargs: Any) -> Any:
    """Stand in for `torch.compile`: eager execution has the same devices."""
    if model is None:
        return lambda function: function
    return model


def patch() -> None:
    """Replace what looks at real devices below the tensors."""
    torch._C._nn._parse_to = _parse_to
    setattr(torch._C, "_group_tensors_by_device_and_dtype", _grouped)
    setattr(_foreach_utils, "_group_tensors_by_device_and_dtype", _grouped)
    setattr(torch.optim.Optimizer, "_group_tensors_by_device_and_dtype", staticmethod(_grouped))
    serialization.register_package(5, _location_of, _restore)
    storage: Any = torch.storage._StorageBase
    storage.clone = _storage_clone(storage.clone)
    storage.cuda = _storage_cuda
    setattr(torch.UntypedStorage, "cuda", _storage_cuda)
    setattr(threading.Thread, "run", _run_with_modes(threading.Thread.run))
    engine = _backward(autograd.graph._engine_run_backward)
    setattr(autograd.graph, "_engine_run_backward", engine)
    setattr(autograd, "_engine_run_backward", engine)
    setattr(torch, "compile", _compile)
