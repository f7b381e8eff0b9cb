"""Operations on tensors, as functions of `torch`."""

from __future__ import annotations

import ast

from torchdev_lint.catalog import operations as catalog
from torchdev_lint.catalog.generators import DRAWN_FROM
from torchdev_lint.placement.defects.draws import note_draw
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.meetings import find_meeting
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import (
    as_tensor,
    choice,
    sequence,
    with_an_axis,
    with_axes,
    with_rank,
)
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.products import product_axes
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    Method,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.libraries.builtins_ import is_tensor
from torchdev_lint.placement.libraries.registry import Call, Handler, handles, handles_members
from torchdev_lint.placement.libraries.torch_axes import (
    OfOne,
    is_refused,
    joined_alike,
    joined_axes,
    joins_unlike,
    takes_other_axes,
)
from torchdev_lint.placement.libraries.torch_neutral import evaluate
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

METHOD_POLICIES = {
    **dict.fromkeys(catalog.STRICT, Policy.STRICT),
    **dict.fromkeys(catalog.CHECKED, Policy.CHECKED),
    **dict.fromkeys(catalog.ELEMENTWISE, Policy.ELEMENTWISE),
}
"""What methods ask of where tensor and arguments live."""

_FUNCTION_POLICIES = {
    **METHOD_POLICIES,
    **dict.fromkeys(catalog.BROADCAST, Policy.BROADCAST),
}
"""What functions ask of where their arguments live."""


def with_rank_of(name: str, value: Value, operands: list[Operand]) -> Value:
    """Return the result of an operation, with what is known of its dimensions.

    It certainly has one if its group says so; of a product it is told how many.
    """
    ranked = with_an_axis(value) if name in catalog.RANKED else value
    return with_axes(ranked, product_axes(name, operands))


@handles("torch.is_tensor")
def _is_tensor(call: Call) -> Value:
    return is_tensor(call.get(0))


@handles("torch.broadcast_tensors")
def _broadcast(call: Call) -> Value | None:
    if call.arguments.open_ended or not call.arguments.positional:
        return None
    return sequence(
        [with_rank(value, False) for value in call.arguments.values()], SequenceKind.TUPLE
    )


@handles_members("torch")
def _function(call: Call) -> Value | None:
    """Evaluate a function on tensors; None if the catalog does not have it."""
    run, name, last, arguments, node = call.run, call.name, call.last, call.arguments, call.node
    if name.startswith(catalog.ACROSS_DEVICES) or not name.startswith(catalog.FUNCTION_NAMESPACES):
        return None
    special = _FUNCTIONS.get(last)
    value = special(call) if special is not None else None
    if value is not None:
        return value
    plain, operands = last.rstrip("_") or last, operands_of(arguments)
    drawn_from = arguments.get(0, "input")
    if last in DRAWN_FROM and isinstance(drawn_from, Tensor):
        note_draw(run, node, drawn_from.place, arguments)
    policy = _FUNCTION_POLICIES.get(plain)
    if plain in {"max", "min"} and _two_tensors(arguments):
        policy = Policy.ELEMENTWISE
    if policy is not None:
        if takes_other_axes(last, arguments.get(0, "input")):
            fails(run, node)
        if plain in catalog.JOINS:
            value = _joined(call, plain, operands, policy)
        else:
            value = _a_tensor(operate(run, last, node, operands, policy))
        return with_rank_of(plain, value, operands) if policy is Policy.STRICT else value
    if takes_more_tensors(plain, operands):
        find_meeting(run, last, node, those_that_meet(plain, operands), Policy.STRICT)
    is_given = arguments.positional or "input" in arguments.keywords
    if plain in catalog.NEUTRAL_FUNCTIONS and is_given:
        return _neutral_function(run, plain, arguments, node)
    return None


def _joined(call: Call, plain: str, operands: list[Operand], policy: Policy) -> Value:
    """Evaluate what joins tensors: it raises where they have not as many axes."""
    alike = [replace(each, value=joined_alike(plain, each.value)) for each in operands]
    value = _a_tensor(operate(call.run, call.last, call.node, alike, policy))
    joined = alike[0].value if alike else None
    if joins_unlike(plain, joined):
        fails(call.run, call.node)
    return with_axes(value, joined_axes(plain, joined))


def _a_tensor(value: Value) -> Value:
    """What PyTorch computes of something unknown is a tensor all the same."""
    return choice([Tensor(Place.UNKNOWN) if o == UNKNOWN else o for o in alternatives(value)])


def operands_of(arguments: Arguments) -> list[Operand]:
    """The arguments but those that are numbers."""
    given = [pair for n, pair in arguments.keywords.items() if n not in catalog.NUMBERS]
    every = (*arguments.positional, *given, *arguments.bundles)
    return [Operand(value, node) for value, node in every]


def takes_more_tensors(name: str, operands: list[Operand]) -> bool:
    """Whether what comes behind the first operand certainly counts as tensors."""
    if name not in catalog.BOUNDED:
        return name in catalog.ACCOMPANIED
    return all(isinstance(o.value, Tensor) or o.value == NONE for o in operands[1:])


def those_that_meet(name: str, operands: list[Operand]) -> list[Operand]:
    """The operands that have to be in one place: of what fills, where, but not the number."""
    return operands[:-1] if name in catalog.FILLED else operands


def _compared_function(call: Call) -> Value:
    return compared(call.run, call.last, call.node, operands_of(call.arguments))


_COMPARING = {"equal": Policy.STRICT, "allclose": Policy.ELEMENTWISE}
"""What functions that compare whole tensors ask of where these live."""


def compared(run: Run, name: str, node: ast.AST, operands: list[Operand]) -> Value:
    """`equal` and `allclose` give no tensor, but take tensors from one device only.

    Args:
        name: which of the two it is.
    """
    find_meeting(run, name, node, operands, _COMPARING[name])
    return Scalar(ScalarKind.BOOL)


def _logits_loss(call: Call) -> Value:
    """Its weights are factors: a 0-dim one may be on the host.

    Source: `binary_cross_entropy_with_logits` in aten/src/ATen/native/Loss.cpp.
    """
    name = "binary_cross_entropy_with_logits"
    weights = {n: p for n, p in call.arguments.keywords.items() if n.endswith("weight")}
    rest = {n: p for n, p in call.arguments.keywords.items() if n not in weights}
    operands = replace(call.arguments, keywords=rest).operands()
    loss = operate(call.run, name, call.node, operands, Policy.STRICT)
    logits = Operand(loss, operands[0].node if operands else call.node)
    factors = [Operand(value, item) for value, item in weights.values()]
    return _a_tensor(operate(call.run, name, call.node, [logits, *factors], Policy.ELEMENTWISE))


def _einsum(call: Call) -> Value | None:
    """An equation that leaves an axis gives a tensor with dimensions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.einsum.html
    """
    operands = operands_of(call.arguments)
    value = _a_tensor(operate(call.run, "einsum", call.node, operands, Policy.STRICT))
    equation = call.get(0, "equation")
    if not isinstance(equation, Const) or not isinstance(equation.value, str):
        return value
    left = _axes_left(equation.value)
    named = left.replace(".", "")
    if named != left:
        return with_rank(value, False) if named else value
    return with_axes(value, len(named))


def _axes_left(equation: str) -> str:
    """The axes that an equation leaves; `...` stands for any number of them.

    Where it doesn't tell them, they are those that it names once.
    """
    given, told, left = equation.replace(" ", "").partition("->")
    if told:
        return left
    once = "".join(axis for axis in given if given.count(axis) == 1 and axis.isalpha())
    return once + "..." if "..." in given else once


def _two_tensors(arguments: Arguments) -> bool:
    second = arguments.get(1, "other")
    return second is not None and all(
        isinstance(option, (Tensor, Bundle)) for option in alternatives(second)
    )


def _of_one_or_two(call: Call) -> Value | None:
    """A single number beside what may be another tensor: then it is where that is."""
    first, second = call.get(0, "input"), call.get(1, "other")
    is_open = any(isinstance(o, (Unknown, Method)) for o in alternatives(second or NONE))
    return UNKNOWN if is_open and isinstance(first, Tensor) and first.scalar is not False else None


def _where(call: Call) -> Value | None:
    operands = operands_of(call.arguments)
    if len(operands) == 1:
        found = [_indices_in(option) for option in alternatives(operands[0].value)]
        return Sequence(None, choice(found), SequenceKind.TUPLE)
    return operate(call.run, "where", call.node, operands, Policy.ELEMENTWISE) if operands else None


def _indices_in(condition: Value) -> Value:
    """Where a condition holds, along one axis: indices that live where it does."""
    if not isinstance(condition, (Tensor, Bundle)):
        return Tensor(Place.UNKNOWN, False)
    return Tensor(condition.place, False, condition.origin, entered=condition.entered)


def _masked_fill(call: Call) -> Value | None:
    operands = operands_of(call.arguments)
    if not operands:
        return None
    find_meeting(call.run, "masked_fill", call.node, operands[:2], Policy.STRICT)
    rest = [operands[0], *operands[2:]]
    return operate(call.run, "masked_fill", call.node, rest, Policy.ELEMENTWISE)


def _neutral_function(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    subject = arguments.get(0, "input")
    assert subject is not None
    results: list[Value] = []
    for option in alternatives(subject):
        if isinstance(option, (Tensor, Bundle)):
            alone = OfOne(name, as_tensor(option), arguments, first=1)
            if subject is option and is_refused(alone):
                fails(run, node)
            results.append(evaluate(alone))
        elif isinstance(option, Sequence) and name in {"meshgrid", "atleast_1d"}:
            results.append(_meshgrid(option))
        else:
            results.append(_of_something(name))
    return choice(results)


def _of_something(name: str) -> Value:
    """What an operation gives of what is not known to be a tensor, as it must be."""
    if name in catalog.POINTWISE or name in catalog.SHAPED:
        return Tensor(Place.UNKNOWN)
    if name in catalog.PAIRS:
        return sequence([Tensor(Place.UNKNOWN)] * 2, SequenceKind.TUPLE)
    return UNKNOWN


def _meshgrid_of(call: Call) -> Value | None:
    """`meshgrid(a, b)`: a grid for each, all from tensors in one place."""
    each = call.arguments.spread()
    if isinstance(each, Tensor):
        return _meshgrid(Sequence(None, each))
    if len(call.arguments.positional) < 2 or call.arguments.open_ended:
        return None
    operands = [Operand(value, item) for value, item in call.arguments.positional]
    find_meeting(call.run, "meshgrid", call.node, operands, Policy.STRICT)
    return _meshgrid(sequence([operand.value for operand in operands]))


def _meshgrid(value: Sequence) -> Value:
    parts = value.items if value.items is not None else (value.element,)
    made = [replace(p, scalar=False) if isinstance(p, Tensor) else UNKNOWN for p in parts]
    return (
        sequence(list(made), SequenceKind.TUPLE)
        if value.items is not None
        else Sequence(None, made[0], SequenceKind.TUPLE)
    )


_FUNCTIONS: dict[str, Handler] = {
    "binary_cross_entropy_with_logits": _logits_loss,
    "einsum": _einsum,
    **dict.fromkeys(_COMPARING, _compared_function),
    "masked_fill": _masked_fill,
    "meshgrid": _meshgrid_of,
    "max": _of_one_or_two,
    "min": _of_one_or_two,
    "where": _where,
}
"""Who evaluates functions that are like no others; None means that it is like the others."""
