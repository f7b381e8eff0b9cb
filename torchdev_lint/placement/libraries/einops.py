"""Functions on tensors that are outside PyTorch's own namespaces for operations."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.catalog import ecosystem
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Place,
    Sequence,
    Tensor,
    Value,
    alternatives,
    as_tensor,
    choice,
    sequence,
)
from torchdev_lint.placement.facts.meetings import Operand, operate
from torchdev_lint.placement.python.arguments import Arguments


def call_tensor_library(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """Evaluate a function on tensors that is not one of `catalog.operations`; None for others.

    Args:
        name: the qualified name.
    """
    package, _, last = name.rpartition(".")
    subject = arguments.get(0, ecosystem.TENSOR_ARGUMENTS.get(last, "input"))
    if name in ecosystem.IDENTITIES:
        value = arguments.get(ecosystem.IDENTITIES[name]) or UNKNOWN
        return choice([o for o in alternatives(value) if o != NONE] or [NONE])
    if package == "torch.nn.init":
        return arguments.get(0, "tensor")
    if package == "einops":
        return _einops(run, last, subject, arguments, node)
    if package == "torchvision.ops" and last.islower():
        return _with_dimensions(operate(run, last, node, arguments.operands(), "strict"))
    if package == "torchvision.transforms.functional" and last in ecosystem.IMAGE_FUNCTIONS:
        subject = arguments.get(0, "img")
        return None if subject is None else _with_dimensions(subject)
    if subject is None:
        return None
    if name == "torch.nn.utils.rnn.pack_padded_sequence":
        return _packed(subject)
    if name == "torch.nn.utils.rnn.pad_packed_sequence":
        return sequence([_with_dimensions(subject), Tensor(Place.HOST, False)], "tuple")
    if name == "torch.broadcast_tensors" and not arguments.open_ended:
        return sequence([_with_dimensions(value) for value in arguments.values()], "tuple")
    return None


def _einops(
    run: Run, last: str, subject: Value | None, arguments: Arguments, node: ast.AST
) -> Value | None:
    if subject is None:
        return None
    if last == "einsum":
        return operate(run, last, node, arguments.operands(), "strict")
    if last not in ecosystem.EINOPS:
        return None
    if isinstance(subject, Sequence) and last != "unpack":
        operand = Operand(subject, arguments.node(0, "tensor") or node)
        subject = operate(run, last, node, [operand], "strict")
    if last == "reduce":
        return choice([_with_rank(option, None) for option in alternatives(subject)])
    value = _with_dimensions(subject)
    if last == "pack":
        return sequence([value, UNKNOWN], "tuple")
    return Sequence(None, value) if last == "unpack" else value


def _packed(subject: Value) -> Value:
    """A packed sequence: a structure that `.to()` does not move in place."""
    return choice(
        [
            Bundle(o.place, o.origin, in_place=False, entered=o.entered)
            if isinstance(o, (Tensor, Bundle))
            else UNKNOWN
            for o in alternatives(subject)
        ]
    )


def _with_dimensions(value: Value) -> Value:
    return choice([_with_rank(option, False) for option in alternatives(value)])


def _with_rank(value: Value, scalar: bool | None) -> Value:
    if isinstance(value, (Tensor, Bundle)):
        return replace(as_tensor(value), scalar=scalar, registered=False)
    return UNKNOWN
