"""Methods of tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.catalog import operations as catalog
from torchdev_lint.catalog.factories import NEW
from torchdev_lint.catalog.generators import DRAWN_FROM, DRAWN_IN_PLACE
from torchdev_lint.catalog.methods import TENSOR_MOVES
from torchdev_lint.placement.defects.conversions import certainly_there, note_method
from torchdev_lint.placement.defects.copies import note_method_of_copy
from torchdev_lint.placement.defects.doubles import device_of_move, is_double, note_double
from torchdev_lint.placement.defects.draws import note_draw
from torchdev_lint.placement.defects.failing import (
    fails,
    is_given_device,
    method_refuses,
    method_takes_no_device,
    method_takes_no_number,
)
from torchdev_lint.placement.defects.meetings import find_meeting
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.defects.pinning import note_pinned
from torchdev_lint.placement.defects.reads import note_method_read, note_move_read
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.joins import as_tensor, size_of, with_axes
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    LISTED,
    NO_TENSOR,
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    DeviceValue,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
)
from torchdev_lint.placement.libraries import torch_factories as factories
from torchdev_lint.placement.libraries.torch_axes import OfOne, is_refused, made_axes
from torchdev_lint.placement.libraries.torch_gradients import hand_back
from torchdev_lint.placement.libraries.torch_moves import move
from torchdev_lint.placement.libraries.torch_neutral import evaluate
from torchdev_lint.placement.libraries.torch_operations import (
    METHOD_POLICIES,
    compared,
    operands_of,
    takes_more_tensors,
    those_that_meet,
    with_rank_of,
)
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass, replace

_TEXTS = Sequence(None, Scalar(ScalarKind.STR))
_FROM_FILES = frozenset({OriginKind.LOADED, OriginKind.CHECKPOINT})


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


def receiver_of(node: ast.Call) -> ast.expr:
    """Return the expression of what a method is called on, or of the method if it has a name."""
    return node.func.value if isinstance(node.func, ast.Attribute) else node.func


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
    receiver = Operand(tensor, receiver_of(node), among)
    call = MethodCall(run, tensor, name, arguments, node, receiver)
    if method_takes_no_number(name, arguments) or is_given_device(name, arguments):
        fails(run, node)
    if method_takes_no_device(name, arguments):  # a structure may have such a method of its own
        if isinstance(tensor, Tensor) and not among:
            fails(run, node)
        return UNKNOWN
    if isinstance(tensor, Tensor) and not among and method_refuses(name, arguments, node):
        fails(run, node)
        return UNKNOWN
    if name in DRAWN_IN_PLACE | DRAWN_FROM and not among:
        note_draw(run, node, tensor.place, arguments)
    handler = _METHODS.get(name) or _METHODS_IN_PLACE_TOO.get(call.plain, _operation)
    return handler(call)


def _split(call: MethodCall) -> Value:
    """What is split at a text is one itself, whatever else came with it in a batch."""
    at = call.arguments.get(0)
    is_text = isinstance(at, Const) and isinstance(at.value, str)
    return _TEXTS if is_text and isinstance(call.tensor, Bundle) else _operation(call)


def _move_method(call: MethodCall) -> Value:
    arguments = call.arguments
    if call.name == "type" and not arguments.positional and not arguments.keywords:
        return DeviceValue(call.tensor.place)  # a string such as `torch.cuda.FloatTensor`
    there = move(call.run, call.tensor, call.name, arguments, call.node)
    note_move_read(call.run, call.node, call.receiver, there)
    if isinstance(there, Tensor) and is_double(call.tensor, arguments):
        device = arguments.node(0, "device")
        note_double(call.run, there.place, device, call.node, call.receiver)
    return there


def _cast(call: MethodCall) -> Value:
    tensor = call.tensor
    if not isinstance(tensor, Tensor):
        return tensor
    double = call.name == "double"
    if double:
        device = device_of_move(call.receiver.node)
        note_double(call.run, tensor.place, device, call.node, call.receiver)
    mask = call.name == "bool"
    doubled = double and tensor.place is Place.HOST
    return replace(tensor, registered=False, double=doubled, mask=mask)


def _pinned(call: MethodCall) -> Value:
    note_pinned(call.run, call.node, call.receiver)
    return _operation(call)


def _compared(call: MethodCall) -> Value:
    operands = [call.receiver, *call.arguments.operands()]
    return compared(call.run, call.name, call.node, operands)


def _operation(call: MethodCall) -> Value:
    """Evaluate a method that computes something of the tensor and its arguments."""
    run, name, node, plain = call.run, call.name, call.node, call.plain
    in_place = plain != name
    operands = [call.receiver, *operands_of(call.arguments)]
    policy = METHOD_POLICIES.get(plain)
    if policy is not None:
        value = operate(run, name, node, operands, policy, in_place=in_place)
        return with_rank_of(plain, value, operands) if policy is Policy.STRICT else value
    if takes_more_tensors(plain, operands):
        meeting = those_that_meet(plain, operands)
        find_meeting(run, name, node, meeting, Policy.STRICT, in_place)
    alone = OfOne(plain, as_tensor(call.tensor), call.arguments, first=0)
    if not call.receiver.among and is_refused(alone):
        fails(run, node)
    return evaluate(alone)


def _new(call: MethodCall) -> Value:
    name, arguments = call.name, call.arguments
    rank = None
    if name != "new_tensor":
        rank = factories.size_is_scalar(arguments, single=name == "new_full")
    made = _new_one(call, rank)
    return with_axes(made, made_axes(name.removeprefix("new_"), arguments))


def _new_one(call: MethodCall, rank: bool | None) -> Value:
    """What is made where a tensor lives, or where it is told.

    Args:
        rank: whether it is 0-dim, where known.
    """
    tensor, arguments = call.tensor, call.arguments
    if "device" in arguments.keywords:
        value, node = arguments.keywords["device"]
        place = place_of(call.run, value, node)
        if place is not None:
            return factories.made_beside(value, Tensor(place, rank))
    if arguments.any_keyword:
        return Tensor(Place.UNKNOWN, rank)
    return Tensor(tensor.place, rank, tensor.origin, entered=tensor.entered)


def _of_same_type(call: MethodCall) -> Value:
    """What `Tensor.new` makes: a tensor of the same type, and so in the same place.

    Source: `legacy_tensor_new` in torch/csrc/utils/tensor_new.cpp
    """
    return _new_one(call, rank=None)


def _size(call: MethodCall) -> Value:
    alone = OfOne("size", as_tensor(call.tensor), call.arguments, first=0)
    if not call.receiver.among and is_refused(alone):
        fails(call.run, call.node)
    if call.arguments.positional or call.arguments.keywords:
        return Scalar(ScalarKind.INT)
    return size_of(call.tensor)


def _selecting(call: MethodCall) -> Value:
    """`masked_fill(mask, value)` and `where(condition, other)`: only the value may be 0-dim."""
    run, name, node = call.run, call.plain, call.node
    subject = call.receiver
    strict, others = call.arguments.operands()[:1], call.arguments.operands()[1:]
    policy = Policy.STRICT if name == "masked_fill" else Policy.ELEMENTWISE
    find_meeting(run, name, node, [subject, *strict], policy)
    return operate(run, name, node, [subject, *others], Policy.ELEMENTWISE)


def _array(call: MethodCall) -> Value:
    """`numpy()` copies nothing, and so takes only what is on the CPU, unless it is forced to.

    Where a function, or a module, asks it of what it is handed, that is there, or nothing behind
    it is run.
    """
    run = call.run
    if call.arguments.get(-1, "force") in (None, Const(False)):
        note_method(run, call.node, call.receiver)
        note_method_of_copy(run, call.node, call.receiver, shares=True)
        of_module = run.entry is not None and run.frames[1].in_forward
        is_there = of_module and certainly_there(run, call.receiver)
        if is_there or (call.tensor.place is Place.GIVEN and not call.receiver.among):
            fails(run, call.node)
    else:
        note_method_read(run, call.node, call.receiver)
    return UNKNOWN


def _backward(call: MethodCall) -> Value:
    """What was loaded has no graph: its `backward` is that of another object, such as a scaler."""
    origin = call.tensor.origin
    if origin is not None and origin.kind in _FROM_FILES:
        return NONE
    value, node = call.arguments.get(0, "gradient"), call.arguments.node(0, "gradient")
    if value is not None and node is not None:
        hand_back(call.run, call.name, call.node, call.receiver, Operand(value, node))
    return NONE


def _reshaped(call: MethodCall) -> Value:
    """What is given other axes where it is: how many these are is not known any more."""
    tensor, receiver = call.tensor, call.receiver.node
    if not isinstance(tensor, Tensor) or tensor.axes is None:
        return tensor
    reshaped = replace(tensor, axes=None)
    if isinstance(receiver, ast.Name) and call.run.look_up(receiver.id) == tensor:
        call.run.refine(receiver.id, reshaped)
    return reshaped


def _item(call: MethodCall) -> Value:
    note_method_read(call.run, call.node, call.receiver)
    return Scalar(ScalarKind.FLOAT)


def _list(call: MethodCall) -> Value:
    """Evaluate `x.tolist()`: numbers in lists, and of what has no axes the number itself."""
    note_method_read(call.run, call.node, call.receiver)
    return LISTED if call.tensor.scalar is False else NO_TENSOR


_METHODS: dict[str, Callable[[MethodCall], Value]] = {
    **dict.fromkeys(TENSOR_MOVES, _move_method),
    **dict.fromkeys(catalog.SAME_RANK_CASTS, _cast),
    **dict.fromkeys(NEW, _new),
    "new": _of_same_type,
    **dict.fromkeys(catalog.HOST_READS, lambda _: Scalar(ScalarKind.INT)),
    "size": _size,
    "get_device": lambda call: DeviceValue(call.tensor.place),
    "pin_memory": _pinned,
    "item": _item,
    "tolist": _list,
    "numpy": _array,
    **dict.fromkeys(catalog.IN_PLACE_SELF, lambda call: call.tensor),
    **dict.fromkeys(catalog.IN_PLACE_RESHAPING, _reshaped),
    "backward": _backward,
    **dict.fromkeys(("equal", "allclose"), _compared),
    "split": _split,
}
"""Who evaluates methods by their names; all others are operations."""

_METHODS_IN_PLACE_TOO = {"masked_fill": _selecting, "where": _selecting}
