"""CUDA operations with a check of their own; see `families` for what a check is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import torch

from .claims import HOST, is_accelerator
from .families import one_device, strict_iterator, two_devices
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
    """Most backends of convolutions compare types before anything else.

    Source: aten/src/ATen/native/Convolution.cpp, `_select_conv_backend` and `ConvParams`; the words
    are those seen on CUDA.
    """
    common = common_device(operands)
    strangers = strangers_to(operands, common)
    if not strangers:
        return common
    source, weight = operands[:2]
    if source.device == HOST and _is_too_small_for_mkldnn(source, weight):
        if source.rank == 5:
            raise Mixing(_no_kernel("slow_conv3d_forward"), strangers, common)
        return one_device("_slow_conv2d_forward", operands)
    if source.device != HOST and _is_depthwise(source, weight):
        return one_device("_conv_depthwise2d", operands)
    odd = next(operand for operand in operands if operand.device != source.device)
    dense = " or input should be a MKLDNN tensor and weight is a dense tensor"
    raise Mixing(
        RuntimeError(
            f"Input type ({type_name(source.tensor)}) and {odd.name} type "
            f"({type_name(odd.tensor)}) should be the same{dense if source.device == HOST else ''}"
        ),
        strangers,
        common,
    )


def _is_too_small_for_mkldnn(source: Operand, weight: Operand) -> bool:
    """Whether the CPU convolves a single image without MKLDNN; such kernels check less."""
    shape, kernel = source.tensor.shape, weight.tensor.shape
    in_one_group = kernel[1] == shape[1]
    is_wide = min(kernel[-2:]) > 3 and source.rank > 3
    return in_one_group and not is_wide and shape[0] == 1 and prod(shape[:4]) <= 20480


def _is_depthwise(source: Operand, weight: Operand) -> bool:
    """Whether each channel has a filter of its own, for which CUDA has a kernel."""
    channels = source.tensor.shape[1]
    return weight.tensor.shape[1] == 1 < channels and source.rank in (4, 5)


def no_kernel(operation: str, operands: Sequence[Operand]) -> torch.device:
    """What exists for the CPU alone refuses the accelerator, mixed or not."""
    common = common_device(operands)
    if is_accelerator(common):
        raise Mixing(_no_kernel(operation), operands, common)
    return common


def _no_kernel(operation: str) -> Exception:
    return NotImplementedError(
        f"Could not run 'aten::{operation}' with arguments from the 'CUDA' backend. This could be "
        "because the operator doesn't exist for this backend"
    )


def mv(operation: str, operands: Sequence[Operand]) -> torch.device:
    """The result is made where the vector is, and the matrix comes after it."""
    matrix, vector = operands
    return one_device("addmv_", [vector, replace(matrix, name="mat"), vector])


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
