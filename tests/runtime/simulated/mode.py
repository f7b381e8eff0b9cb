"""The two modes that make tensors behave as if they lived on different devices."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import background
from .checks import check, result_devices
from .claims import (
    ACCELERATOR_TYPE,
    HOST,
    META,
    Call,
    device_of,
    has_claim,
    is_accelerator,
    is_meta,
    set_claim,
    tensors_in,
)
from .functions import adapted, check_function, settle_results
from .moves import bring_gradient_home, require_generator
from .operands import Mixing, Operand, common_device, operands_of
from .watching import Watcher

_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd
_WAITING = frozenset({"_local_scalar_dense", "nonzero", "equal"})
"""Operations that give the host what is in a tensor: it waits until that is there."""
_state = threading.local()


def calls_in_progress() -> list[Call]:
    """Return the torch functions being called in this thread, outermost first."""
    if not hasattr(_state, "calls"):
        _state.calls = []
    calls: list[Call] = _state.calls
    return calls


@contextmanager
def calling(first: torch.Tensor | None) -> Iterator[None]:
    """Be in a call of a torch function.

    Args:
        first: its first tensor.
    """
    call = Call(HOST if first is None else device_of(first))
    calls = calls_in_progress()
    calls.append(call)
    try:
        yield
    finally:
        calls.pop()
        call.active = False


class FunctionWatch(TorchFunctionMode):
    """Knows the call in progress, and checks functions that compare devices by themselves."""

    def __init__(self, watcher: Watcher) -> None:
        super().__init__()
        self.watcher = watcher

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func is torch.device:
            return func(*_named(args), **kwargs)
        first = next(tensors_in([args, kwargs]), None)
        if first is None:
            return func(*args, **kwargs)
        try:
            check_function(func, args, kwargs)
            # Below, torch knows it by another object.
            require_generator(kwargs.get("generator"), device_of(first))
        except Mixing as mixing:
            self.watcher.meet(getattr(func, "__name__", str(func)), mixing)
        args, kwargs = adapted(func, args, kwargs)
        with calling(first):
            result = func(*args, **kwargs)
        settle_results(func, result)
        return result


def _named(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Read the arguments of `torch.device`: a number alone is an accelerator's."""
    if len(arguments) == 1 and type(arguments[0]) is int:
        return (ACCELERATOR_TYPE, *arguments)
    return arguments


class DispatchWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's is untyped
    """Checks every ATen operation, forward and backward, and says where its results live."""

    def __init__(self, watcher: Watcher) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch's is untyped
        self.watcher = watcher

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler (two seconds) just to skip this mode."""
        return False

    def __torch_dispatch__(
        self,
        func: torch._ops.OpOverload[Any, Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name, overload = func._schema.name, func._schema.overload_name
        qualified = f"{name}.{overload}" if overload else name
        operation = qualified.removeprefix("aten::")
        if torch._C._dispatch_has_kernel_for_dispatch_key(qualified, _COMPOSITE):
            # Only inference mode lets these through; their parts are what is checked elsewhere.
            with self:
                return func.decompose(*args, **kwargs)
        operands = _settled(operands_of(func, args, kwargs))
        if operation in _WAITING and any(is_accelerator(o.device) for o in operands):
            background.arrive()
        calls = calls_in_progress()
        maker = calls[-1] if calls else None
        if operands:
            try:
                device = check(operation, operands)
            except Mixing as mixing:
                device = self.watcher.meet(operation, mixing)
            _bring_gradients_home(operands, device)
            if maker is not None:
                maker.device = device
            if not all(operand.claim.provisional for operand in operands):
                maker = None
        else:
            device = HOST if maker is None else maker.device
        result = func(*args, **kwargs)
        self._claim(operation, operands, device, maker, list(tensors_in(result)))
        return result

    def _claim(
        self,
        operation: str,
        operands: Sequence[Operand],
        device: torch.device,
        maker: Call | None,
        results: Sequence[torch.Tensor],
    ) -> None:
        """Say where new results live; those that share an operand's storage have their claim."""
        if all(has_claim(tensor) for tensor in results):
            return
        parents = [operand.tensor for operand in operands]
        known = {_storage(tensor) for tensor in parents}
        devices = result_devices(operation, operands, device, len(results))
        for tensor, place in zip(results, devices, strict=True):
            if not has_claim(tensor) and _storage(tensor) not in known:
                claim = self.watcher.claim_for(META if is_meta(tensor) else place, parents)
                claim.maker = maker
                set_claim(tensor, claim)


def _bring_gradients_home(operands: Sequence[Operand], device: torch.device) -> None:
    """Do so for those that met others on the accelerator."""
    if is_accelerator(device):
        for operand in operands:
            tensor = operand.tensor
            if operand.device == HOST and tensor.requires_grad and not tensor.dim():
                bring_gradient_home(tensor)


def _settled(operands: list[Operand]) -> list[Operand]:
    """Let tensors on a guessed device follow the others."""
    firm = [operand for operand in operands if not operand.claim.provisional]
    if not firm or len(firm) == len(operands):
        return operands
    device = common_device(firm)
    for operand in operands:
        if operand.claim.provisional:
            operand.claim.device, operand.claim.maker = device, None
    return operands


def _storage(tensor: torch.Tensor) -> int:
    """Identify a tensor's storage; tensors without one identify themselves."""
    try:
        with torch._C.DisableTorchFunction():
            return int(torch._C.TensorBase.untyped_storage(tensor)._cdata)
    except (NotImplementedError, RuntimeError):
        return id(tensor)
