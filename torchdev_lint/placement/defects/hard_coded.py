"""What the code puts on CUDA by name, where models and arguments may be anywhere."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.joins import choice, placeless
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.hard_coded import HardCoded
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.cuda import name_of, puts_on_cuda

_ANYWHERE = frozenset({Place.ACCELERATOR, Place.GIVEN})
"""Where values are whose place the user of the code chooses."""


def named_by(run: Run, value: Value, call: ast.Call) -> Value:
    """Note of what a call has put on CUDA that it was this call, if it names CUDA itself."""
    return choice([_named_by(run, option, call) for option in alternatives(value)])


def _named_by(run: Run, value: Value, call: ast.Call) -> Value:
    if not isinstance(value, (Tensor, Bundle)) or value.place is not Place.NAMED:
        return value
    if Mood.DOUBT in run.moods:
        return placeless(value)
    if value.origin is not None or not puts_on_cuda(call):
        return value
    note_view(run, call)
    return replace(value, origin=run.made(call, OriginKind.NAMED, name_of(call)))


def named_result(tensors: list[Tensor | Bundle], scalar: bool | None) -> Value:
    """What is computed of tensors of which some are on CUDA by that name."""
    if not _ANYWHERE.isdisjoint(tensor.place for tensor in tensors):
        return UNKNOWN
    first = next(tensor for tensor in tensors if tensor.place is Place.NAMED)
    return Tensor(Place.NAMED, scalar, first.origin)


def find_named(
    run: Run,
    name: str,
    node: ast.AST,
    operands: list[Operand],
    policy: Policy,
    module: ast.expr | None,
) -> None:
    """Note it if what is certainly on CUDA meets what is wherever the user has it.

    Args:
        name: what the operation is called in a message.
        node: its expression.
        policy: what it asks of where its operands live.
        module: the expression of the module that is called, if the operation is the call of one
            whose place the user chooses.
    """
    for operand in operands:
        origins = [_origin(option) for option in alternatives(operand.value)]
        origin = origins[0]
        if origin is None or None in origins or not origin.scope or operand.among:
            continue
        partner = module or _partner(operand, operands, policy)
        if partner is not None and run.entry is not None:
            run.note(
                HardCoded(
                    origin,
                    name,
                    node,
                    operand.node,
                    partner,
                    module is not None,
                    run.entry,
                )
            )


def _origin(value: Value) -> Origin | None:
    if not isinstance(value, (Tensor, Bundle)) or value.place is not Place.NAMED:
        return None
    is_named = value.origin is not None and value.origin.kind is OriginKind.NAMED
    return value.origin if is_named else None


def _place(value: Value) -> Place | None:
    return value.place if isinstance(value, (Tensor, Bundle)) else None


def _partner(operand: Operand, operands: list[Operand], policy: Policy) -> ast.AST | None:
    """The expression of what is wherever the user has it, in all cases.

    Where an operation takes what is 0-dim from the CPU, it certainly has dimensions.
    """
    may_join = policy in (Policy.ELEMENTWISE, Policy.BROADCAST)
    for other in operands:
        options = alternatives(other.value)
        if other is operand or not all(_place(option) in _ANYWHERE for option in options):
            continue
        if not (may_join and any(map(_may_be_single, options))):
            return other.node
    return None


def _may_be_single(value: Value) -> bool:
    return isinstance(value, Tensor) and value.scalar is not False
