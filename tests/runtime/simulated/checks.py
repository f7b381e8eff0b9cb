"""How CUDA answers when the tensors of one ATen operation live in different places.

Two families follow `native_functions.yaml` (see `schemas`); `_RULES` names the operations whose
kernels check otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from .claims import HOST
from .families import (
    Check,
    any_scalars,
    follow_first,
    foreach,
    forwarding,
    iterator,
    kernel_refusal,
    one_device,
    only_scalar,
    plain_kernel,
    strict_iterator,
    without,
)
from .kernels import (
    addcmul_refusal,
    block_diag,
    convolution,
    index,
    index_fill,
    masked_fill,
    mv,
    no_kernel,
    pack_padded,
)
from .operands import Operand
from .schemas import operations

_RULES: dict[str, Check] = {
    # The bytes go across, or nothing of the other tensor but its shape is used.
    "copy": follow_first,
    "_to_copy": follow_first,
    "set": follow_first,
    "fill": follow_first,
    "expand_as": follow_first,
    "resize_as": follow_first,
    "_new_zeros_with_same_feature_meta": follow_first,
    "is_same_size": follow_first,
    "is_set_to": follow_first,
    "bernoulli_.Tensor": follow_first,
    # Kernels with a check of their own.
    "index.Tensor": index,
    "_unsafe_index.Tensor": index,
    "index_put": index,
    "_unsafe_index_put": index,
    "_index_put_impl": index,
    "masked_fill": masked_fill,
    "convolution": convolution,
    "_convolution": convolution,
    "convolution_overrideable": convolution,
    "_pack_padded_sequence": pack_padded,
    "histogram": no_kernel,
    "block_diag": block_diag,
    # TensorIterators that accept more, or fewer, host scalars than most.
    "where": any_scalars,
    "binary_cross_entropy_with_logits": any_scalars,
    "addcmul": only_scalar("tensor2", addcmul_refusal),
    "lerp.Tensor": only_scalar("weight", kernel_refusal),
    "lerp_.Tensor": only_scalar("weight", kernel_refusal),
    "smooth_l1_loss": plain_kernel,
    "mse_loss": strict_iterator,
    "addcdiv": strict_iterator,
    "binary_cross_entropy": strict_iterator,
    "index_fill": index_fill,
    "_trilinear": strict_iterator,
    # Elementwise arithmetic under one name.
    "ldexp": iterator,
    "soft_margin_loss": iterator,
    "allclose": iterator,
    # Arguments of these are read on the host.
    "_ctc_loss": without("input_lengths", "target_lengths"),
    "_ctc_loss_backward": without("input_lengths", "target_lengths"),
    "linspace": follow_first,
    "logspace": follow_first,
    "randint_like": follow_first,
    # Forwarders.
    "embedding": forwarding("index_select", indices="index"),
    "stack": forwarding("cat"),
    "mv": mv,
    "masked_scatter": forwarding("masked_scatter_"),
    "put": forwarding("put_"),
    "_scaled_dot_product_flash_attention_for_cpu": forwarding(
        "_scaled_dot_product_efficient_attention", attn_mask="attn_bias"
    ),
}


def check(operation: str, operands: Sequence[Operand]) -> torch.device:
    """Return the device of an operation's result.

    Args:
        operation: the ATen name, such as `add.Tensor`.
        operands: its tensors.

    Raises:
        Mixing: CUDA would refuse.
    """
    name = operation.partition(".")[0]
    rule = _RULES.get(operation) or _RULES.get(name) or _RULES.get(name.rstrip("_"))
    if rule is not None:
        return rule(operation, operands)
    if name.startswith("_foreach_"):
        return foreach(operation, operands)
    if operation in operations().unchecked:
        return iterator(operation, operands)
    return one_device(operation, operands)


def result_devices(
    operation: str, operands: Sequence[Operand], common: torch.device, count: int
) -> Iterator[torch.device]:
    """Yield the device of each of `count` result tensors."""
    if operation == "_pack_padded_sequence":
        yield from (common, HOST)
        return
    if operation.startswith("_foreach_"):
        first = [operand.device for operand in operands if operand.name == "self"]
        if len(first) == count:
            yield from first
            return
    for _ in range(count):
        yield common
