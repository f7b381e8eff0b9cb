"""CUDA operations with a check of their own; see `families` for what a check is."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .claims import HOST, is_accelerator
from .families import strict_iterator, two_devices
from .operands import TYPE_NAMES, Mixing, Operand, common_device, strangers_to, type_name


def index(operation: str, operands: Sequence[Operand]) -> torch.device:
    """Indices may stay on the host; what is written must not, unless it is 0-dim.

    Reading checks indices (`check_indices_on_cpu_or_selfdevice`), writing moves them (`make_info`).
    """
    target = operands[0]
    for operand in operands[1:]:
        if operand.device == target.device:
            continue
        if operand.name == "indices":
            if operand.device == HOST or "index_put" in operation:
                continue
            raise Mixing(
                RuntimeError(
                    f"indices should be either on {HOST} or on the same device as the indexed "
                    f"tensor ({target.device})"
                ),
                [target],
                operand.device,
            )
        if operand.rank and not _fills_by_mask(target, operands[1:]):
            raise two_devices([target, operand], common_device([target, operand]))
    return target.device


def _fills_by_mask(target: Operand, rest: Sequence[Operand]) -> bool:
    """`x[mask] = one_element` becomes `masked_fill_` with a number, if the mask is with x."""
    *indices, value = rest
    return (
        value.tensor.numel() == 1
        and value.device == HOST
        and len(indices) == 1
        and indices[0].tensor.dtype in (torch.bool, torch.uint8)
        and indices[0].device == target.device
    )


def masked_fill(operation: str, operands: Sequence[Operand]) -> torch.device:
    """The mask must be with the tensor; a 0-dim value is read."""
    target, mask = operands[:2]
    common = common_device(operands)
    if target.device != mask.device:
        raise Mixing(
            RuntimeError(
                "expected self and mask to be on the same device, but got mask on "
                f"{mask.device} and self on {target.device}"
            ),
            strangers_to([target, mask], common),
            common,
        )
    if len(operands) > 2 and target.device == HOST and is_accelerator(common):
        raise Mixing(
            RuntimeError("masked_fill_: Expected inputs to be on same device"),
            [target, mask],
            common,
        )
    return target.device


def index_fill(operation: str, operands: Sequence[Operand]) -> torch.device:
    """The value is read, the index joins the iterator."""
    return strict_iterator(operation, [o for o in operands if o.name != "value"])


def addcmul_refusal(operand: Operand) -> str:
    text = (
        f"CPU Scalar support for {operand.name} argument is not supported when calling addcmul on "
        "CUDA tensors."
    )
    if operand.name == "tensor1":
        text += (
            " However, CPU Scalar support for tensor2 is supported, please swap your tensor1 and "
            "tensor2 terms."
        )
    return text


def convolution(operation: str, operands: Sequence[Operand]) -> torch.device:
    """Convolutions compare types before anything else."""
    common = common_device(operands)
    strangers = strangers_to(operands, common)
    if strangers:
        first = operands[0]
        odd = next(operand for operand in operands if operand.device != first.device)
        raise Mixing(
            RuntimeError(
                f"Input type ({type_name(first.tensor)}) and {odd.name} type "
                f"({type_name(odd.tensor)}) should be the same"
            ),
            strangers,
            common,
        )
    return common


def pack_padded(operation: str, operands: Sequence[Operand]) -> torch.device:
    """Lengths are read on the host and must be there."""
    for operand in operands:
        if operand.name == "lengths" and operand.device != HOST:
            raise Mixing(
                RuntimeError(
                    "'lengths' argument should be a 1D CPU int64 tensor, but got "
                    f"{operand.rank}D {operand.device} {TYPE_NAMES[operand.tensor.dtype]} tensor"
                ),
                [operand],
                operand.device,
            )
    return operands[0].device


def grid_sampler(operation: str, operands: Sequence[Operand]) -> torch.device:
    source, grid = operands[:2]
    if source.device != grid.device:
        common = common_device(operands)
        raise Mixing(
            RuntimeError(
                "grid_sampler(): expected input and grid to be on same device, but input is on "
                f"{source.device} and grid is on {grid.device}"
            ),
            strangers_to(operands, common),
            common,
        )
    return source.device


def block_diag(operation: str, operands: Sequence[Operand]) -> torch.device:
    common = common_device(operands)
    first = operands[0]
    for operand in operands:
        if operand.device != first.device:
            raise Mixing(
                RuntimeError(
                    "torch.block_diag: input tensors must all be on the same device. Input 0 is on "
                    f"device {first.device} and input {operand.position} is on device "
                    f"{operand.device}"
                ),
                strangers_to(operands, common),
                common,
            )
    return common
