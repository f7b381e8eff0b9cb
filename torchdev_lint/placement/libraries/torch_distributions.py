"""torch.distributions.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Const,
    Scalar,
    Tensor,
    Value,
)
from torchdev_lint.placement.libraries.registry import Call, handles_members
from torchdev_lint.placement.libraries.torch_factories import make_tensor


@handles_members("torch.distributions")
def _distribution(call: Call) -> Value | None:
    """A distribution, as the sequence of what it draws: it draws where its parameters live."""
    if not call.last[:1].isupper():
        return None
    given = call.arguments.operands()
    operands = [operand for operand in given if isinstance(operand.value, (Tensor, Bundle))]
    if operands:
        drawn = operate(call.run, call.name, call.node, operands, Policy.ELEMENTWISE)
    elif given and all(isinstance(operand.value, (Const, Scalar)) for operand in given):
        drawn = make_tensor(call.run, call.name, Arguments(), call.node)
    else:
        drawn = UNKNOWN
    return Sequence(None, drawn, SequenceKind.DISTRIBUTION)
