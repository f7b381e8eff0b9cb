"""einops."""

from __future__ import annotations

from torchdev_lint.catalog import ecosystem
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import sequence, with_rank
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import UNKNOWN, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("einops.einsum")
def _einsum(call: Call) -> Value:
    return operate(call.run, call.last, call.node, call.arguments.operands(), Policy.STRICT)


@handles(*(f"einops.{name}" for name in ecosystem.EINOPS))
def _rearranged(call: Call) -> Value | None:
    last, keyword = call.last, "tensors" if call.last == "pack" else "tensor"
    subject = call.get(0, keyword)
    if subject is None:
        return None
    if isinstance(subject, Sequence) and last != "unpack":
        operand = Operand(subject, call.arguments.node(0, "tensor") or call.node)
        subject = operate(call.run, last, call.node, [operand], Policy.STRICT)
    if last == "reduce":
        return with_rank(subject, None)
    value = with_rank(subject, False)
    if last == "pack":
        return sequence([value, UNKNOWN], SequenceKind.TUPLE)
    return Sequence(None, value) if last == "unpack" else value
