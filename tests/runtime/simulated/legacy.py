"""The old tensor types: `torch.FloatTensor`, `torch.cuda.LongTensor`, `torch.Tensor(...)`."""

from __future__ import annotations

from typing import Any

import torch

from . import watching
from .claims import ACCELERATOR, HOST, has_claim, set_claim, with_index
from .operands import type_name

_DTYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}

_default = HOST


def default() -> torch.device:
    """Return where tensors go by default, as `set_default_tensor_type` left it."""
    return _default


def parse(name: str) -> tuple[torch.device, torch.dtype] | None:
    """Read `torch.cuda.FloatTensor`; None if the name is no legacy tensor type."""
    parts = name.split(".")
    dtype = _DTYPES.get(parts[-1])
    if dtype is None or parts[0] != "torch":
        return None
    return (with_index(parts[1]) if len(parts) > 2 else HOST), dtype


def name_of(kind: Any) -> str:
    """Return the dotted name of a legacy type, given as such or by name."""
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"


class _LegacyType(type):
    """Their metaclass: an instance is any tensor of that dtype in that place."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and type_name(instance) == name_of(cls)


def _legacy(name: str, module: str, device: torch.device) -> type:
    host_type = getattr(torch, name)

    def make(cls: type, *args: Any, **kwargs: Any) -> torch.Tensor:
        tensor: torch.Tensor = host_type(*args, **kwargs)
        set_claim(tensor, watching.current().claim_for(device))
        return tensor

    body = {"__new__": make, "__module__": module, "dtype": _DTYPES[name]}
    return _LegacyType(name, (), body)


def _init(self: torch.Tensor, *args: Any, **kwargs: Any) -> None:
    """Runs for `torch.Tensor(...)` only; everything else makes tensors without it."""
    if not has_claim(self):
        set_claim(self, watching.current().claim_for(_default))


def _set_default_tensor_type(kind: Any) -> None:
    global _default
    found = parse(name_of(kind))
    if found is None:
        raise TypeError(f"invalid type object: {kind!r}")
    _default = found[0]
    torch.set_default_dtype(found[1])


def patch() -> None:
    """Replace the legacy types, on the host and on the accelerator."""
    for name in _DTYPES:
        on_accelerator = _legacy(name, "torch.cuda", ACCELERATOR)
        setattr(torch, name, _legacy(name, "torch", HOST))
        setattr(torch.cuda, name, on_accelerator)
    torch.Tensor.__init__ = _init  # type: ignore[assignment]  # the original is object's
    torch.set_default_tensor_type = _set_default_tensor_type
