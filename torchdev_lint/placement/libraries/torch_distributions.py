"""torch.distributions.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from torchdev_lint.catalog.factories import DIVERGENCE
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments, Operand
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
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.torch_factories import make_tensor


@handles_members("torch.distributions")
def _distribution(call: Call) -> Value | None:
    """A distribution, as the sequence of what it draws: it draws where its parameters live."""
    if not call.last[:1].isupper():
        return None
    given = call.arguments.operands()
    operands = [operand for operand in given if isinstance(operand.value, (Tensor, Bundle))]
    if call.last == "Independent" and (base := _distribution_at(call, 0, "base_distribution")):
        drawn = base.value
    elif operands:
        drawn = operate(call.run, call.name, call.node, operands, Policy.ELEMENTWISE)
    elif given and all(isinstance(operand.value, (Const, Scalar)) for operand in given):
        drawn = make_tensor(call.run, call.name, Arguments(), call.node)
    else:
        drawn = UNKNOWN
    return Sequence(None, drawn, SequenceKind.DISTRIBUTION)


@handles(f"torch.distributions.{DIVERGENCE}", f"torch.distributions.kl.{DIVERGENCE}")
def _divergence(call: Call) -> Value | None:
    """How far one distribution is from another: the parameters of both meet."""
    pair = [_distribution_at(call, 0, "p"), _distribution_at(call, 1, "q")]
    operands = [each for each in pair if each is not None]
    if len(operands) < len(pair):
        return None
    return operate(call.run, call.last, call.node, operands, Policy.ELEMENTWISE)


def _distribution_at(call: Call, position: int, name: str) -> Operand | None:
    """What the distribution draws that is an argument; None if it is not known to be one."""
    value, node = call.get(position, name), call.arguments.node(position, name)
    if not isinstance(value, Sequence) or value.kind is not SequenceKind.DISTRIBUTION:
        return None
    return Operand(value.element, node or call.node, within=True)
