"""Operations on tensors, as functions of `torch` and as methods."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

from torchdev_lint.catalog import operations as catalog
from torchdev_lint.catalog.factories import LIKE, NEW
from torchdev_lint.catalog.methods import TENSOR_MOVES
from torchdev_lint.placement.defects.meetings import find_meeting, operate
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.joins import as_tensor, choice, sequence, with_rank
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    DeviceValue,
    Place,
    Scalar,
    ScalarKind,
    Sequence,
    SequenceKind,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.libraries import torch_factories as factories
from torchdev_lint.placement.libraries.builtins_ import is_tensor
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.torch_moves import move
from torchdev_lint.placement.run import Run


@dataclass(frozen=True, slots=True)
class MethodCall:
    """The call of a method of a tensor, or of a structure taken for one.

    Args:
        receiver: the tensor with its expression.
    """

    run: Run
    tensor: Tensor | Bundle
    name: str
    arguments: Arguments
    node: ast.Call
    receiver: Operand

    @property
    def plain(self) -> str:
        """The name without the underscore of methods that write in place."""
        return self.name.rstrip("_")


def call_tensor_method(
    run: Run,
    tensor: Tensor | Bundle,
    name: str,
    arguments: Arguments,
    node: ast.Call,
    among: bool = False,
) -> Value:
    """Evaluate a method of a tensor, or of a structure taken for one.

    Args:
        among: whether the tensor is one of several that the receiver may be.
    """
    expression = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    receiver = Operand(tensor, expression, among)
    call = MethodCall(run, tensor, name, arguments, node, receiver)
    handler = _METHODS.get(name) or _METHODS_IN_PLACE_TOO.get(call.plain, _operation)
    return handler(call)


def _move_method(call: MethodCall) -> Value:
    arguments = call.arguments
    if call.name == "type" and not arguments.positional and not arguments.keywords:
        return DeviceValue(call.tensor.place)  # a string such as `torch.cuda.FloatTensor`
    return move(call.run, call.tensor, call.name, arguments)


def _cast(call: MethodCall) -> Value:
    tensor = call.tensor
    return replace(tensor, registered=False) if isinstance(tensor, Tensor) else tensor


def _equal(call: MethodCall) -> Value:
    operands = [call.receiver, *call.arguments.operands()]
    return _compared(call.run, call.node, operands)


def _operation(call: MethodCall) -> Value:
    """Evaluate a method that computes something of the tensor and its arguments."""
    run, name, node, plain = call.run, call.name, call.node, call.plain
    in_place = plain != name
    operands = [call.receiver, *_operands(call.arguments)]
    policy = _METHOD_POLICIES.get(plain)
    if policy is not None:
        value = operate(run, name, node, operands, policy, in_place=in_place)
        return _never_scalar(plain, value) if policy is Policy.STRICT else value
    if _takes_more_tensors(plain, operands):
        find_meeting(run, name, node, operands, Policy.STRICT, in_place)
    return neutral(plain, as_tensor(call.tensor), call.arguments, first=0)


def _new(call: MethodCall) -> Value:
    tensor, name, arguments = call.tensor, call.name, call.arguments
    if "device" in arguments.keywords:
        value, node = arguments.keywords["device"]
        place = place_named(value, node)
        if place is not None:
            return Tensor(place)
    rank = None
    if name != "new_tensor":
        rank = factories.size_is_scalar(arguments, single=name == "new_full")
    if arguments.any_keyword:
        return Tensor(Place.UNKNOWN, rank)
    return Tensor(tensor.place, rank, tensor.origin, entered=tensor.entered)


def _read(call: MethodCall) -> Value:
    tensor, name, arguments = call.tensor, call.name, call.arguments
    if name == "size" and not arguments.positional and not arguments.keywords:
        return Size(tensor.scalar if isinstance(tensor, Tensor) else False)
    if name in {"tolist", "numpy"}:
        return UNKNOWN
    if name == "item":
        return Scalar(ScalarKind.FLOAT)
    return Scalar(ScalarKind.INT)


def _selecting(call: MethodCall) -> Value:
    """`masked_fill(mask, value)` and `where(condition, other)`: only the value may be 0-dim."""
    run, name, node = call.run, call.plain, call.node
    subject = call.receiver
    strict, others = call.arguments.operands()[:1], call.arguments.operands()[1:]
    policy = Policy.STRICT if name == "masked_fill" else Policy.ELEMENTWISE
    find_meeting(run, name, node, [subject, *strict], policy)
    return operate(run, name, node, [subject, *others], Policy.ELEMENTWISE)


_METHODS: dict[str, Callable[[MethodCall], Value]] = {
    **dict.fromkeys(TENSOR_MOVES, _move_method),
    **dict.fromkeys(catalog.SAME_RANK_CASTS, _cast),
    **dict.fromkeys(NEW, _new),
    **dict.fromkeys({"size", "dim", "numel"} | catalog.HOST_READS, _read),
    **dict.fromkeys(catalog.IN_PLACE_SELF, lambda call: call.tensor),
    "backward": lambda _: NONE,
    "equal": _equal,
}
"""Who evaluates methods by their names; all others are operations."""

_METHODS_IN_PLACE_TOO = {"masked_fill": _selecting, "where": _selecting}

_METHOD_POLICIES = {
    **dict.fromkeys(catalog.STRICT, Policy.STRICT),
    **dict.fromkeys(catalog.CHECKED, Policy.CHECKED),
    **dict.fromkeys(catalog.ELEMENTWISE, Policy.ELEMENTWISE),
}
"""What methods ask of where tensor and arguments live."""

_FUNCTION_POLICIES = {
    **_METHOD_POLICIES,
    **dict.fromkeys(catalog.BROADCAST, Policy.BROADCAST),
}
"""What functions ask of where their arguments live."""


def _never_scalar(name: str, value: Value) -> Value:
    if name not in catalog.RANKED:
        return value
    return choice(
        [replace(o, scalar=False) if isinstance(o, Tensor) else o for o in alternatives(value)]
    )


def neutral(name: str, tensor: Tensor, arguments: Arguments, first: int) -> Value:
    """Evaluate an operation with one tensor operand, which can't fail for a device.

    Args:
        first: position of the first argument behind the tensor.
    """
    if name in catalog.PAIRS or (name in catalog.PAIRS_BY_DIMENSION and _has_dim(arguments, first)):
        part = tensor.computed(scalar=None)
        return sequence([part, part], SequenceKind.TUPLE)
    if name in catalog.POINTWISE:
        return tensor.computed(tensor.scalar)
    if name in catalog.SHAPED:
        return tensor.computed(scalar=False)
    if name in catalog.ITEMIZED:
        return Sequence(None, tensor.computed(scalar=None), SequenceKind.TUPLE)
    if name in catalog.REDUCTIONS:
        return tensor.computed(_reduced(name, arguments, first))
    return UNKNOWN


def _has_dim(arguments: Arguments, first: int) -> bool:
    value = arguments.get(first, "dim")
    return value is not None and not isinstance(value, (Tensor, Bundle))


def _reduced(name: str, arguments: Arguments, first: int) -> bool | None:
    if arguments.get(-1, "keepdim") == Const(True):
        return False
    nothing_named = len(arguments.positional) <= first and not (
        {"dim", "axis", "keepdim"} & arguments.keywords.keys()
    )
    return True if nothing_named and name in catalog.FULL_REDUCTIONS else None


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
    return call_tensor_function(call.run, call.name, call.arguments, call.node)


def call_tensor_function(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value | None:
    """Evaluate a function of `torch` on tensors; None if the catalog does not have it.

    Args:
        name: the qualified name.
    """
    if not name.startswith(catalog.FUNCTION_NAMESPACES):
        return None
    last = name.rpartition(".")[2]
    if name.count(".") == 1 and last in LIKE:
        return factories.like(run, arguments)
    plain = last.rstrip("_") or last
    special = _FUNCTIONS.get(last)
    value = special(run, arguments, node) if special is not None else None
    if value is not None:
        return value
    operands = _operands(arguments)
    policy = _FUNCTION_POLICIES.get(plain)
    if plain in {"max", "min"} and _two_tensors(arguments):
        policy = Policy.ELEMENTWISE
    if policy is not None:
        value = _a_tensor(operate(run, last, node, operands, policy))
        return _never_scalar(plain, value) if policy is Policy.STRICT else value
    if _takes_more_tensors(plain, operands):
        find_meeting(run, last, node, operands, Policy.STRICT)
    is_given = arguments.positional or "input" in arguments.keywords
    if plain in catalog.NEUTRAL_FUNCTIONS and is_given:
        return _neutral_function(plain, arguments)
    return None


def _a_tensor(value: Value) -> Value:
    """What PyTorch computes of something unknown is a tensor all the same."""
    return choice([Tensor(Place.UNKNOWN) if o == UNKNOWN else o for o in alternatives(value)])


def _operands(arguments: Arguments) -> list[Operand]:
    """The arguments but those that are numbers."""
    given = [pair for n, pair in arguments.keywords.items() if n not in catalog.NUMBERS]
    every = (*arguments.positional, *given, *arguments.bundles)
    return [Operand(value, node) for value, node in every]


def _takes_more_tensors(name: str, operands: list[Operand]) -> bool:
    """Whether what comes behind the first operand certainly counts as tensors."""
    if name not in catalog.BOUNDED:
        return name in catalog.ACCOMPANIED
    return all(isinstance(o.value, Tensor) or o.value == NONE for o in operands[1:])


def _equal_function(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    return _compared(run, node, _operands(arguments))


def _compared(run: Run, node: ast.AST, operands: list[Operand]) -> Value:
    """`equal` gives no tensor, but takes tensors from one device only."""
    find_meeting(run, "equal", node, operands, Policy.STRICT)
    return Scalar(ScalarKind.BOOL)


def _logits_loss(run: Run, arguments: Arguments, node: ast.AST) -> Value:
    """Its weights are factors: a 0-dim one may be on the host.

    Source: `binary_cross_entropy_with_logits` in aten/src/ATen/native/Loss.cpp.
    """
    name = "binary_cross_entropy_with_logits"
    weights = {n: p for n, p in arguments.keywords.items() if n.endswith("weight")}
    rest = {n: p for n, p in arguments.keywords.items() if n not in weights}
    operands = replace(arguments, keywords=rest).operands()
    loss = operate(run, name, node, operands, Policy.STRICT)
    logits = Operand(loss, operands[0].node if operands else node)
    factors = [Operand(value, item) for value, item in weights.values()]
    return _a_tensor(operate(run, name, node, [logits, *factors], Policy.ELEMENTWISE))


def _two_tensors(arguments: Arguments) -> bool:
    second = arguments.get(1, "other")
    return isinstance(second, (Tensor, Bundle))


def _where(run: Run, arguments: Arguments, node: ast.Call) -> Value | None:
    operands = _operands(arguments)
    if len(operands) == 1:
        place = operands[0].value.place if isinstance(operands[0].value, Tensor) else Place.UNKNOWN
        return Sequence(None, Tensor(place, False), SequenceKind.TUPLE)
    return operate(run, "where", node, operands, Policy.ELEMENTWISE) if operands else None


def _masked_fill(run: Run, arguments: Arguments, node: ast.Call) -> Value | None:
    operands = _operands(arguments)
    if not operands:
        return None
    find_meeting(run, "masked_fill", node, operands[:2], Policy.STRICT)
    rest = [operands[0], *operands[2:]]
    return operate(run, "masked_fill", node, rest, Policy.ELEMENTWISE)


def _neutral_function(name: str, arguments: Arguments) -> Value:
    subject = arguments.get(0, "input")
    assert subject is not None
    results: list[Value] = []
    for option in alternatives(subject):
        if isinstance(option, (Tensor, Bundle)):
            results.append(neutral(name, as_tensor(option), arguments, first=1))
        elif isinstance(option, Sequence) and name in {"meshgrid", "atleast_1d"}:
            results.append(_meshgrid(option))
        else:
            single = name in catalog.POINTWISE | catalog.SHAPED
            results.append(Tensor(Place.UNKNOWN) if single else UNKNOWN)
    return choice(results)


def _meshgrid_of(run: Run, arguments: Arguments, node: ast.Call) -> Value | None:
    """`meshgrid(a, b)`: a grid for each, all from tensors in one place."""
    if len(arguments.positional) < 2 or arguments.open_ended:
        return None
    operands = [Operand(value, item) for value, item in arguments.positional]
    find_meeting(run, "meshgrid", node, operands, Policy.STRICT)
    return _meshgrid(sequence([operand.value for operand in operands]))


def _meshgrid(value: Sequence) -> Value:
    parts = value.items if value.items is not None else (value.element,)
    made = [replace(p, scalar=False) if isinstance(p, Tensor) else UNKNOWN for p in parts]
    return (
        sequence(list(made), SequenceKind.TUPLE)
        if value.items is not None
        else Sequence(None, made[0], SequenceKind.TUPLE)
    )


_FUNCTIONS: dict[str, Callable[[Run, Arguments, ast.Call], Value | None]] = {
    "binary_cross_entropy_with_logits": _logits_loss,
    "equal": _equal_function,
    "masked_fill": _masked_fill,
    "meshgrid": _meshgrid_of,
    "where": _where,
}
"""Who evaluates functions that are like no others; None means that it is like the others."""
