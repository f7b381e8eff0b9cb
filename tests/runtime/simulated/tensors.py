"""Patches on `torch.Tensor`: everything that names, reads or changes a tensor's device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from . import background, legacy, watching
from .claims import HOST, Claim, device_of, is_accelerator, set_claim, with_index
from .moves import moved, parse_to, require
from .operands import Mixing, type_name

Tensor = torch.Tensor
_GRADIENT: Any = torch._C.TensorBase.grad  # a descriptor of the C extension
_original: dict[str, Any] = {
    name: getattr(Tensor, name)
    for name in ("to", "numpy", "new", "type", "pin_memory", "is_pinned", "__array__")
}


def _device(self: Tensor) -> torch.device:
    return device_of(self)


def _is_cuda(self: Tensor) -> bool:
    return is_accelerator(device_of(self))


def _is_cpu(self: Tensor) -> bool:
    return device_of(self) == HOST


def _get_device(self: Tensor) -> int:
    index = device_of(self).index
    return -1 if index is None else index


def _to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    device, dtype, non_blocking, copy, memory_format = parse_to(args, kwargs)
    if device is not None and device.type == "meta":
        meta: Tensor = _original["to"](self, *args, **kwargs)
        return meta
    options: dict[str, Any] = {}
    if dtype is not None:
        options["dtype"] = dtype
    if memory_format is not None:
        options["memory_format"] = memory_format
    result: Tensor = _original["to"](self, **options) if options else self
    if device is not None:
        result = _brought(result, device, waits=not non_blocking)
    if copy and result is self:
        result = torch.clone(self)
    return result


def _brought(tensor: Tensor, device: torch.device, waits: bool) -> Tensor:
    """Move a tensor; to the host it goes in the background if nobody waits for it."""
    there = moved(tensor, device)
    if there is not tensor and waits:
        background.arrive()
    elif there is not tensor and device == HOST:
        background.begin(there)
    return there


def _cuda(
    self: Tensor,
    device: Any = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format = torch.preserve_format,
    **legacy: Any,
) -> Tensor:
    place = with_index("cuda" if device is None else device)
    return _to(self, place, non_blocking=non_blocking, memory_format=memory_format)


def _cpu(self: Tensor, memory_format: torch.memory_format = torch.preserve_format) -> Tensor:
    return _to(self, HOST, memory_format=memory_format)


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    if dtype is None:
        return type_name(self)
    if isinstance(dtype, torch.dtype):
        return _to(self, dtype)
    wanted = legacy.parse(legacy.name_of(dtype))
    if wanted is None:
        return _original["type"](self, dtype, non_blocking, **kwargs)
    return _to(self, *wanted, non_blocking=non_blocking)


def _type_as(self: Tensor, other: Tensor) -> Tensor:
    return _to(self, device_of(other), other.dtype)


def _numpy(self: Tensor, *, force: bool = False) -> Any:
    if is_accelerator(device_of(self)):
        if not force:
            error = TypeError(
                f"can't convert {device_of(self)} device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )
            watching.current().meet("numpy", Mixing(error, [], HOST))
        return _original["numpy"](self.detach().cpu())
    return _original["numpy"](self, force=force)


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    _numpy(self.detach())  # raises where CUDA raises
    return _original["__array__"](self, dtype) if dtype is not None else _original["numpy"](self)


def _new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    device = kwargs.pop("device", None)
    result: Tensor = _original["new"](self, *args, **kwargs)
    return _placed(result, device_of(self) if device is None else with_index(device))


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    if device_of(self) != HOST:
        raise RuntimeError(f"cannot pin '{type_name(self)}' only dense CPU tensors can be pinned")
    result = torch.clone(self)
    result._simulated_pinned = True  # type: ignore[attr-defined]  # read by is_pinned only
    return result


def _is_pinned(self: Tensor, device: Any = None) -> bool:
    return bool(getattr(self, "_simulated_pinned", False))


def _record_stream(self: Tensor, stream: Any) -> None:
    """Whatever a stream does with a tensor has already happened."""


def _placed(tensor: Tensor, device: torch.device) -> Tensor:
    require(device)
    if device_of(tensor) != device:
        set_claim(tensor, Claim(device))
    return tensor


def _maker(original: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Wrap `new_zeros` and its like: they go where their tensor is, unless told otherwise."""

    @functools.wraps(original)
    def make(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        device = kwargs.pop("device", None)
        kwargs.pop("pin_memory", None)
        result = original(self, *args, **kwargs)
        return _placed(result, device_of(self) if device is None else with_index(device))

    return make


def _set_grad(self: Tensor, value: Tensor | None) -> None:
    if value is not None and device_of(value) != device_of(self):
        raise RuntimeError(
            "attempting to assign a gradient with device type "
            f"'{device_of(value).type}' to a tensor with device type '{device_of(self).type}'. "
            "Please ensure that the gradient and the tensor are on the same device"
        )
    _GRADIENT.__set__(self, value)


def patch() -> None:
    """Replace what is visible of a tensor's device."""
    replacements: dict[str, Any] = {
        "device": property(_device),
        "is_cuda": property(_is_cuda),
        "is_cpu": property(_is_cpu),
        "get_device": _get_device,
        "to": _to,
        "cuda": _cuda,
        "cpu": _cpu,
        "type": _type,
        "type_as": _type_as,
        "numpy": _numpy,
        "__array__": _array,
        "new": _new,
        "pin_memory": _pin_memory,
        "is_pinned": _is_pinned,
        "record_stream": _record_stream,
    }
    for name in dir(Tensor):
        if name.startswith("new_"):
            replacements[name] = _maker(getattr(Tensor, name))
    for name, replacement in replacements.items():
        setattr(Tensor, name, replacement)
    setattr(Tensor, "grad", property(_GRADIENT.__get__, _set_grad, _GRADIENT.__delete__))
