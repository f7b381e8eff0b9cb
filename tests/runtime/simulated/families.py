"""The ways in which whole families of CUDA operations check devices.

A check takes the operation's ATen name and its tensors; it returns the device of the result or
raises `Mixing`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from .claims import HOST
from .operands import Mixing, Operand, common_device, strangers_to
from .schemas import wrapper_name

Check = Callable[[str, Sequence[Operand]], torch.device]


def one_device(operation: str, operands: Sequence[Operand]) -> torch.device:
    """The generated wrapper: every tensor on the device of the first, 0-dim or not."""
    common = common_device(operands)
    strangers = strangers_to(operands, common)
    if strangers:
        first, odd = operands[0], strangers[0]
        expected = common
        if odd is first:  # the wrapper compares with the first tensor, whatever it is
            expected = first.device
            odd = next(operand for operand in operands if operand.device != expected)
        verb = "tensors is" if odd.position is not None else f"{odd.name} is"
        raise Mixing(
            RuntimeError(
                f"Expected all tensors to be on the same device, but got {verb} on {odd.device}, "
                f"different from other tensors on {expected} "
                f"(when checking argument in method {wrapper_name(operation)})"
            ),
            strangers,
            common,
        )
    return common


def two_devices(operands: Sequence[Operand], common: torch.device) -> Mixing:
    strangers = strangers_to(operands, common)
    return Mixing(
        RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{common} and {strangers[0].device}!"
        ),
        strangers,
        common,
    )


def iterator(operation: str, operands: Sequence[Operand], scalars: int = 1) -> torch.device:
    """TensorIterator: one 0-dim host input may join; it may never be the output."""
    common = common_device(operands)
    strangers = strangers_to(operands, common)
    if any(stranger.rank or stranger.written for stranger in strangers) or (
        strangers and not scalars
    ):
        raise two_devices(operands, common)
    if len(strangers) > scalars:
        raise Mixing(
            RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!"),
            strangers,
            common,
        )
    return common


def strict_iterator(operation: str, operands: Sequence[Operand]) -> torch.device:
    """A TensorIterator that was not told to accept host scalars."""
    return iterator(operation, operands, scalars=0)


def any_scalars(operation: str, operands: Sequence[Operand]) -> torch.device:
    """`where`, which moves each of its 0-dim tensors by itself."""
    return iterator(operation, operands, scalars=len(operands))


def only_scalar(name: str, refuse: Callable[[Operand], str]) -> Check:
    """A TensorIterator that accepts a host scalar, with a kernel that reads only one of them.

    Args:
        name: the argument that may be a host scalar.
        refuse: words the error for another one.
    """

    def rule(operation: str, operands: Sequence[Operand]) -> torch.device:
        common = iterator(operation, operands)
        strangers = [o for o in strangers_to(operands, common) if o.name != name]
        if strangers:
            raise Mixing(RuntimeError(refuse(strangers[0])), strangers, common)
        return common

    return rule


def kernel_refusal(operand: Operand) -> str:
    return (
        "iter.device(arg).is_cuda() INTERNAL ASSERT FAILED, please report a bug to PyTorch. "
        f"argument {operand.name}: expected a CUDA device but found {operand.device}"
    )


def plain_kernel(operation: str, operands: Sequence[Operand]) -> torch.device:
    """A TensorIterator that accepts a host scalar, with a kernel that can't read one."""
    return only_scalar("", kernel_refusal)(operation, operands)


def without(*names: str) -> Check:
    """The generated wrapper, for an operation that reads some arguments on the host."""

    def rule(operation: str, operands: Sequence[Operand]) -> torch.device:
        return one_device(operation, [o for o in operands if o.name not in names])

    return rule


def forwarding(other: str, **names: str) -> Check:
    """Operations that only forward to another one, which is the one that complains.

    Args:
        other: the operation that checks.
        names: its names for the arguments, where they differ.
    """

    def forwarded(operation: str, operands: Sequence[Operand]) -> torch.device:
        renamed = [
            Operand(names.get(o.name, o.name), o.tensor, o.claim, o.position, o.written)
            for o in operands
        ]
        return one_device(other, renamed)

    return forwarded


def follow_first(operation: str, operands: Sequence[Operand]) -> torch.device:
    """Copies across devices; the result is where the first tensor is."""
    return operands[0].device if operands else HOST


def foreach(operation: str, operands: Sequence[Operand]) -> torch.device:
    """Lists fall back to one elementwise operation after another."""
    positions = sorted({operand.position for operand in operands if operand.position is not None})
    shared = [operand for operand in operands if operand.position is None]
    for position in positions:
        iterator(operation, [*(o for o in operands if o.position == position), *shared])
    return common_device(operands)
