"""The tensors of one operation, and the error if their places don't fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .claims import HOST, Claim, claim_of, device_of, is_accelerator


@dataclass(frozen=True, slots=True)
class Operand:
    """One tensor that an operation was called with.

    Args:
        name: the argument it came in.
        tensor: the tensor.
        claim: where it lives.
        position: where it stands in a list argument.
        written: the operation writes to it.
    """

    name: str
    tensor: torch.Tensor
    claim: Claim
    position: int | None = None
    written: bool = False

    @property
    def device(self) -> torch.device:
        """The claimed device."""
        return self.claim.device

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.tensor.dim()


class Mixing(Exception):
    """The operation can't run on CUDA.

    Args:
        error: what CUDA raises.
        operands: the tensors that are in the wrong place.
        result: where the result would be if mixing were allowed.
    """

    def __init__(self, error: Exception, operands: Sequence[Operand], result: torch.device) -> None:
        super().__init__(str(error))
        self.error = error
        self.operands = tuple(operands)
        self.result = result


def operands_of(
    function: torch._ops.OpOverload[Any, Any], args: Sequence[object], kwargs: dict[str, object]
) -> list[Operand]:
    """List the tensors of a call, in the order of the operation's schema."""
    found: list[Operand] = []
    for index, argument in enumerate(function._schema.arguments):
        value = args[index] if index < len(args) else kwargs.get(argument.name)
        if value is None:
            continue
        written = argument.alias_info is not None and argument.alias_info.is_write
        if isinstance(value, torch.Tensor):
            found.append(Operand(argument.name, value, claim_of(value), None, written))
        elif isinstance(value, (list, tuple)):
            found.extend(
                Operand(argument.name, element, claim_of(element), position, written)
                for position, element in enumerate(value)
                if isinstance(element, torch.Tensor)
            )
    return found


def common_device(operands: Sequence[Operand]) -> torch.device:
    """The accelerator if any tensor is there, else where the first tensor is."""
    for operand in operands:
        if is_accelerator(operand.device):
            return operand.device
    return operands[0].device if operands else HOST


def strangers_to(operands: Sequence[Operand], common: torch.device) -> list[Operand]:
    return [operand for operand in operands if operand.device != common]


TYPE_NAMES = {
    torch.float32: "Float",
    torch.float64: "Double",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.int64: "Long",
    torch.int32: "Int",
    torch.int16: "Short",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.bool: "Bool",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}


def type_name(tensor: torch.Tensor) -> str:
    """Return what `tensor.type()` says: `torch.cuda.FloatTensor`."""
    device = device_of(tensor)
    place = "" if device == HOST else f"{device.type}."
    return f"torch.{place}{TYPE_NAMES.get(tensor.dtype, 'Unknown')}Tensor"
