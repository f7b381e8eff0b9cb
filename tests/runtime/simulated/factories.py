"""Patches on functions that make tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _device as default_device

from . import legacy, watching
from .claims import HOST, device_of, is_accelerator, set_claim, tensors_in, with_index
from .moves import is_device, moved, require, require_generator
from .operands import Mixing

_FOLLOWERS = (
    "empty_like",
    "full_like",
    "ones_like",
    "rand_like",
    "randint_like",
    "randn_like",
    "zeros_like",
)
_ADOPTERS = ("as_tensor", "asarray")
_HOST_MAKERS = ("from_numpy", "frombuffer")


def _context() -> torch.device | None:
    """Return the device that `with torch.device(...)` or `torch.set_default_device` names.

    Both leave a mode on the function stack.
    """
    for position in reversed(range(torch._C._len_torch_function_stack())):
        mode = torch._C._get_function_stack_at(position)
        if isinstance(mode, default_device.DeviceContext):
            return with_index(mode.device)
    return None


def default() -> torch.device:
    """Return where a factory that listens to contexts puts a tensor when it is not told."""
    return _context() or legacy.default()


def _claimed(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    set_claim(tensor, watching.current().claim_for(device))
    return tensor


def _taken(kwargs: dict[str, Any], allocates: bool = False) -> torch.device | None:
    """Take the device out of a call's keywords.

    Args:
        allocates: whether the function asks for memory on that device itself, pinned if told so,
            as `empty_cuda` in ATen's `cuda/EmptyTensor.cpp` refuses to.

    Raises:
        RuntimeError: there is no such device, or it has no memory that can be pinned.
    """
    device = kwargs.pop("device", None)
    pinned = kwargs.pop("pin_memory", None)
    if device is None:
        return None
    if not is_device(device):
        raise TypeError(f"device must be torch.device, str or int, not {type(device).__name__}")
    found = with_index(device)
    require(found)
    if allocates and pinned and is_accelerator(found):
        raise RuntimeError("Only dense CPU tensors can be pinned")
    return found


def _maker(
    original: Callable[..., Any], place: Callable[[], torch.device] = default
) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        device = _taken(kwargs, allocates=True)
        if device is not None and device.type == "meta":
            return original(*args, **kwargs, device=device)
        result = original(*args, **kwargs)
        if out is None and isinstance(result, torch.Tensor):
            _claimed(result, device or place())
            _require_generator(original, kwargs.get("generator"), device_of(result))
        return result

    return make


def _require_generator(
    function: Callable[..., Any], generator: torch.Generator | None, device: torch.device
) -> None:
    """Refuse random numbers from elsewhere, or record that they were asked for."""
    try:
        require_generator(generator, device)
    except Mixing as mixing:
        watching.current().meet(function.__name__, mixing)


def _follower(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        device = _taken(kwargs)
        if device is not None and device.type == "meta":
            return original(*args, **kwargs, device=device)
        if device is None:
            return original(*args, **kwargs)
        # Named, since a tensor like one on `meta` would go there.
        return _claimed(original(*args, **kwargs, device=HOST), device)

    return make


def _tensor(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `torch.tensor`: a tensor is copied where it is, a list's scalars are read.

    Inside a context, both go there.
    """

    @functools.wraps(original)
    def make(data: Any, *args: Any, **kwargs: Any) -> Any:
        device = _taken(kwargs)
        if device is not None and device.type == "meta":
            return original(data, *args, **kwargs, device=device)
        if device is None:
            follows = isinstance(data, torch.Tensor) and _context() is None
            device = device_of(data) if follows else default()
        return _claimed(original(data, *args, **kwargs), device)

    return make


def _normal(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `torch.normal`, which follows its tensors; without any, it is deaf to contexts."""
    make = _maker(original, legacy.default)

    @functools.wraps(original)
    def draw(*args: Any, **kwargs: Any) -> Any:
        follows = next(tensors_in([args, kwargs]), None) is not None
        return original(*args, **kwargs) if follows else make(*args, **kwargs)

    return draw


def _adopter(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `as_tensor`, which gives a tensor back unless it has to change it."""

    @functools.wraps(original)
    def make(data: Any, *args: Any, **kwargs: Any) -> Any:
        device = _taken(kwargs) or _context()
        result = original(data, *args, **kwargs)
        if isinstance(data, torch.Tensor):
            return result if device is None else moved(result, device)
        return _claimed(result, device or default())

    return make


def _host_maker(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if next(tensors_in(list(args)), None) is None:
            _claimed(result, HOST)
        return result

    return make


def _shared(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `from_dlpack`: of a tensor it makes another one on its memory."""

    @functools.wraps(original)
    def make(data: Any, **kwargs: Any) -> Any:
        if not isinstance(data, torch.Tensor):
            return _claimed(original(data, **kwargs), HOST)
        with torch._C.DisableTorchFunction():
            result = torch._C._from_dlpack(torch._C._to_dlpack(data))
        _claimed(result, device_of(data))
        wanted = _taken(kwargs)
        return result if wanted is None else moved(result, wanted)

    return make


def _context_function(
    self: Any,
    func: Callable[..., Any],
    types: Any,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Stand in for DeviceContext's: the patched factories ask for the default themselves."""
    return func(*args, **(kwargs or {}))


def _home(original: Callable[..., Any]) -> tuple[Any, str] | None:
    """Find the module that a function is an attribute of, and its name there."""
    for holder, prefix in ((torch, ""), (torch.fft, "fft_"), (torch.nested, "")):
        name = original.__name__.removeprefix(prefix)
        if getattr(holder, name, None) is original:
            return holder, name
    return None


def patch() -> None:
    """Replace every function of torch that makes a tensor on a device."""
    range_ = torch.range
    special = {torch.tensor, torch.as_tensor, torch.asarray, torch.nested.nested_tensor}
    makers = set(default_device._device_constructors()) - special
    for original in makers:
        home = _home(original)
        if home is not None:
            setattr(*home, _maker(original))
    for name in _FOLLOWERS:
        setattr(torch, name, _follower(getattr(torch, name)))
    for name in _ADOPTERS:
        setattr(torch, name, _adopter(getattr(torch, name)))
    for name in _HOST_MAKERS:
        setattr(torch, name, _host_maker(getattr(torch, name)))
    for holder in (torch, torch.utils.dlpack):
        setattr(holder, "from_dlpack", _shared(torch.utils.dlpack.from_dlpack))
    torch.tensor = _tensor(torch.tensor)
    torch.normal = _normal(torch.normal)
    torch.range = _maker(range_, legacy.default)  # it is listed, but never asks the context
    setattr(default_device.DeviceContext, "__torch_function__", _context_function)
