"""Operations on tensors, as functions of `torch` and as methods."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.catalog import operations as catalog
from torchdev_lint.catalog.factories import LIKE, NEW
from torchdev_lint.catalog.methods import TENSOR_MOVES, TO_ACCELERATOR
from torchdev_lint.placement.domain.joins import as_tensor, choice, moved, sequence, with_rank
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    DeviceValue,
    DtypeValue,
    Method,
    OriginKind,
    Place,
    Scalar,
    ScalarKind,
    Sequence,
    SequenceKind,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.devices import is_setting, place_named
from torchdev_lint.placement.facts.events import PartMoved
from torchdev_lint.placement.facts.meetings import Operand, find_meeting, operate
from torchdev_lint.placement.libraries import torch_factories as factories
from torchdev_lint.placement.libraries.builtins_ import is_tensor
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.python.arguments import Arguments


def move(run: Run, tensor: Tensor | Bundle, name: str, arguments: Arguments) -> Value:
    """Evaluate a kept `.to()`, `.cuda()`, `.type()` or the like."""
    place = _target(run, name, arguments)
    if place is None or (name == "type" and place is tensor.place):
        return tensor
    if _follows_itself(tensor, arguments.get(0, "other")):
        return tensor
    if tensor.origin is not None and tensor.origin.kind is OriginKind.BATCH:
        run.note(PartMoved(tensor.origin.root.node))
    return moved(tensor, place)


def _follows_itself(tensor: Tensor | Bundle, other: Value | None) -> bool:
    """Whether something is moved to where what it was made from lives, so to where it is."""
    return (
        isinstance(other, (Tensor, Bundle))
        and other.origin is not None
        and other.origin == tensor.origin
    )


def _target(run: Run, name: str, arguments: Arguments) -> Place | None:
    """Where a move goes; None if it is only a cast."""
    if name == "cpu":
        return Place.HOST
    if name in TO_ACCELERATOR:
        return Place.ACCELERATOR
    if arguments.open_ended:
        return Place.UNKNOWN
    keyword = "other" if name == "type_as" else "device"
    value = arguments.get(0, keyword)
    if value is None or isinstance(value, DtypeValue):
        return None if value is None or "device" not in arguments.keywords else Place.UNKNOWN
    if name == "type" and isinstance(value, Const) and isinstance(value.value, str):
        return Place.ACCELERATOR if ".cuda." in value.value else Place.HOST
    node = arguments.node(0, keyword)
    if name == "type" and isinstance(value, (Unknown, Method)) and not _is_dtype_of(node):
        return Place.UNKNOWN  # a dtype, or the name of a type, which names a place as well
    return place_named(value, node)


def _is_dtype_of(node: ast.AST | None) -> bool:
    """Whether an expression asks something for its dtype that is no mere setting."""
    return isinstance(node, ast.Attribute) and node.attr == "dtype" and not is_setting(node)


def call_tensor_method(
    run: Run, tensor: Tensor | Bundle, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate a method of a tensor, or of a structure taken for one."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    if name == "type" and not arguments.positional and not arguments.keywords:
        return DeviceValue(tensor.place)  # a string such as `torch.cuda.FloatTensor`
    if name in TENSOR_MOVES:
        return move(run, tensor, name, arguments)
    if name in catalog.SAME_RANK_CASTS:
        return replace(tensor, registered=False) if isinstance(tensor, Tensor) else tensor
    if name in NEW:
        return _new(tensor, name, arguments)
    if name == "equal":
        operands = [Operand(tensor, receiver), *arguments.operands()]
        return _compared(run, node, operands)
    if name in {"size", "dim", "numel"} or name in catalog.HOST_READS:
        return _read(tensor, name, arguments)
    if name == "backward":
        return NONE
    if name in catalog.IN_PLACE_SELF:
        return tensor
    plain = name.rstrip("_")
    in_place = plain != name
    if plain in {"masked_fill", "where"}:
        return _selecting(run, plain, tensor, receiver, arguments, node)
    operands = [Operand(tensor, receiver), *_operands(arguments)]
    if plain in catalog.ELEMENTWISE:
        return operate(run, name, node, operands, Policy.ELEMENTWISE, in_place=in_place)
    if plain in catalog.CHECKED:
        return operate(run, name, node, operands, Policy.CHECKED, in_place=in_place)
    if plain in catalog.STRICT:
        return _never_scalar(plain, operate(run, name, node, operands, Policy.STRICT))
    if _takes_more_tensors(plain, operands):
        find_meeting(run, name, node, operands, Policy.STRICT, in_place)
    return neutral(plain, as_tensor(tensor), arguments, first=0)


def _new(tensor: Tensor | Bundle, name: str, arguments: Arguments) -> Value:
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


def _read(tensor: Tensor | Bundle, name: str, arguments: Arguments) -> Value:
    if name == "size" and not arguments.positional and not arguments.keywords:
        return Size(tensor.scalar if isinstance(tensor, Tensor) else False)
    if name in {"tolist", "numpy"}:
        return UNKNOWN
    if name == "item":
        return Scalar(ScalarKind.FLOAT)
    return Scalar(ScalarKind.INT)


def _selecting(
    run: Run,
    name: str,
    tensor: Tensor | Bundle,
    receiver: ast.expr,
    arguments: Arguments,
    node: ast.Call,
) -> Value:
    """`masked_fill(mask, value)` and `where(condition, other)`: only the value may be 0-dim."""
    subject = Operand(tensor, receiver)
    strict = arguments.operands()[:1]
    find_meeting(
        run,
        name,
        node,
        [subject, *strict],
        Policy.STRICT if name == "masked_fill" else Policy.ELEMENTWISE,
    )
    return operate(run, name, node, [subject, *arguments.operands()[1:]], Policy.ELEMENTWISE)


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
    operands = _operands(arguments)
    if last in {"masked_fill", "where"} and operands:
        return _selecting_function(run, last, operands, node)
    if plain in catalog.ELEMENTWISE or (plain in {"max", "min"} and _two_tensors(arguments)):
        return _a_tensor(operate(run, last, node, operands, Policy.ELEMENTWISE))
    if plain in catalog.BROADCAST:
        return _a_tensor(operate(run, last, node, operands, Policy.BROADCAST))
    if plain in catalog.CHECKED:
        return _a_tensor(operate(run, last, node, operands, Policy.CHECKED))
    if plain == "binary_cross_entropy_with_logits":
        return _a_tensor(_logits_loss(run, arguments, node))
    if plain in catalog.STRICT:
        value = _a_tensor(operate(run, last, node, operands, Policy.STRICT))
        return _never_scalar(plain, value)
    if plain == "meshgrid" and len(arguments.positional) > 1 and not arguments.open_ended:
        return _meshgrid_of(run, arguments, node)
    if name == "torch.equal":
        return _compared(run, node, operands)
    if _takes_more_tensors(plain, operands):
        find_meeting(run, last, node, operands, Policy.STRICT)
    if plain in catalog.NEUTRAL_FUNCTIONS and (
        arguments.positional or "input" in arguments.keywords
    ):
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
    return operate(run, name, node, [logits, *factors], Policy.ELEMENTWISE)


def _two_tensors(arguments: Arguments) -> bool:
    second = arguments.get(1, "other")
    return isinstance(second, (Tensor, Bundle))


def _selecting_function(run: Run, name: str, operands: list[Operand], node: ast.Call) -> Value:
    if name == "where" and len(operands) == 1:
        place = operands[0].value.place if isinstance(operands[0].value, Tensor) else Place.UNKNOWN
        return Sequence(None, Tensor(place, False), SequenceKind.TUPLE)
    if name == "masked_fill":
        find_meeting(run, name, node, operands[:2], Policy.STRICT)
        return operate(run, name, node, [operands[0], *operands[2:]], Policy.ELEMENTWISE)
    return operate(run, name, node, operands, Policy.ELEMENTWISE)


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


def _meshgrid_of(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    """`meshgrid(a, b)`: a grid for each, all from tensors in one place."""
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
