"""Moving a tensor: a copy with another claim, and a gradient that travels back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from . import watching
from .claims import HOST, META, device_of, is_accelerator, set_claim, with_index
from .operands import Mixing


class _Move(torch.autograd.Function):
    """Copies forward to `device`, and the gradient back to where the value came from."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
        ctx.source = device_of(tensor)
        return _copied(tensor, device)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return moved(gradient, ctx.source), None


def _copied(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    # Uninitialised parameters of lazy modules refuse most functions.
    with torch._C.DisableTorchFunctionSubclass():
        copy = torch.clone(tensor.detach())
    set_claim(copy, watching.current().claim_for(device))
    return copy


def moved(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Return the tensor on a device: itself if it is there, else a copy.

    Raises:
        RuntimeError: there is no such accelerator.
        NotImplementedError: the tensor has no data.
    """
    require(device)
    source = device_of(tensor)
    if source == device:
        return tensor
    if source == META:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if tensor.requires_grad and torch.is_grad_enabled():
        apply: Callable[..., torch.Tensor] = _Move.apply
        return apply(tensor, device)
    return _copied(tensor, device)


def require_generator(generator: torch.Generator | None, device: torch.device) -> None:
    """Refuse a generator of random numbers that lives elsewhere.

    Raises:
        Mixing: as CUDA words it.
    """
    if generator is not None and generator.device.type != device.type != "meta":
        error = RuntimeError(
            f"Expected a '{device.type}' device type for generator but found "
            f"'{generator.device.type}'"
        )
        raise Mixing(error, [], device)


def bring_gradient_home(tensor: torch.Tensor) -> None:
    """Have the gradient of a 0-dim host tensor moved to the host, as autograd's engine does.

    Such a tensor may meet tensors on the accelerator, and its gradient comes from there.
    """
    hooked: Any = tensor  # torch's types say nothing of hooks
    known = dict(hooked._backward_hooks or {})
    if _to_host in known.values():
        return
    hooked.register_hook(_to_host)
    # To come first: the others see it on the host. C++ goes by the order of insertion.
    for key, hook in known.items():
        del hooked._backward_hooks[key]
        hooked._backward_hooks[key] = hook


def _to_host(gradient: torch.Tensor) -> torch.Tensor:
    return moved(gradient, HOST)


def require(device: torch.device) -> None:
    """Refuse devices that a machine with one accelerator hasn't got.

    Raises:
        RuntimeError: as CUDA and torch word it.
    """
    if is_accelerator(device):
        if device.index:
            raise torch.AcceleratorError("CUDA error: invalid device ordinal")
    elif device.type not in ("cpu", "meta"):
        raise RuntimeError(f"there is no {device.type} device here, only {HOST} and cuda:0")


def is_device(value: object) -> bool:
    """Tell whether a value is what users write for a device."""
    if isinstance(value, torch.device):
        return True
    if isinstance(value, str):
        try:
            torch.device(value)
        except RuntimeError:
            return False
        return True
    return isinstance(value, int) and not isinstance(value, bool)


def parse_to(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[torch.device | None, torch.dtype | None, bool, bool, torch.memory_format | None]:
    """Read the arguments of `Tensor.to`: device, dtype, non_blocking, copy, memory_format.

    Raises:
        TypeError: the arguments fit none of its forms.
    """
    options = dict(kwargs)
    device: torch.device | None = None
    dtype: torch.dtype | None = None
    rest = list(args)
    other = options.pop("other", None)
    if rest and isinstance(rest[0], torch.Tensor):
        other = rest.pop(0)
    if other is not None:
        device, dtype = device_of(other), other.dtype
    elif rest and isinstance(rest[0], torch.dtype):
        dtype = rest.pop(0)
    elif rest and (rest[0] is None or is_device(rest[0])):
        given = rest.pop(0)
        device = None if given is None else with_index(given)
        if rest and (rest[0] is None or isinstance(rest[0], torch.dtype)):
            dtype = rest.pop(0)
    elif rest and not isinstance(rest[0], bool):
        raise TypeError(
            "to() received an invalid combination of arguments - got "
            f"({', '.join(type(argument).__name__ for argument in args)})"
        )
    if options.get("device") is not None:
        device = with_index(options["device"])
    if options.get("dtype") is not None:
        dtype = options["dtype"]
    flags = [*rest, *([False] * 2)]
    non_blocking = bool(options.get("non_blocking", flags[0]))
    copy = bool(options.get("copy", flags[1]))
    return device, dtype, non_blocking, copy, options.get("memory_format")
