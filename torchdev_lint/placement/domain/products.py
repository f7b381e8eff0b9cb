"""Products of tensors: how many axes they have."""

from __future__ import annotations

from torchdev_lint.catalog.axes import OF_PRODUCTS
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.values import Tensor


def product_axes(name: str, operands: list[Operand]) -> int | None:
    """Return how many axes a product of tensors has; None where that can't be told.

    Args:
        name: that of the function or method, `matmul` for the operator.
        operands: what is multiplied, or added to that.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.matmul.html
    """
    if name != "matmul":
        return OF_PRODUCTS.get(name)
    axes = [each.value.axes if isinstance(each.value, Tensor) else None for each in operands]
    if len(axes) != 2 or axes[0] is None or axes[1] is None:
        return None
    fewer, more = sorted((axes[0], axes[1]))
    return more if fewer > 1 else more - 1
