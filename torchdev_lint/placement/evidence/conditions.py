"""Conditions: whether a branch is taken when an accelerator is present, and what it tells."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeGuard

from torchdev_lint.catalog.classes import kinds_of
from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE
from torchdev_lint.catalog.ecosystem import (
    SETTINGS_OF_TORCH,
    STAYS_A_LIBRARY,
    is_of_another_framework,
)
from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY, LEGACY, TENSOR_CLASSES
from torchdev_lint.catalog.methods import ANY_TENSOR_MEMBERS
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, placeless
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    MISSING,
    NO_TENSOR,
    NO_TENSORS,
    NONE,
    UNKNOWN,
    Bundle,
    ClassValue,
    Const,
    DeviceValue,
    Function,
    Instance,
    Library,
    Loader,
    Method,
    Partial,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.flags import flag
from torchdev_lint.records import replace
from torchdev_lint.syntax.comparisons import COMPARISONS, MIRRORED
from torchdev_lint.syntax.form_tests import is_scalar_where
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.walking import walk

_SAME = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
_WITHIN = (ast.In, ast.NotIn)
"""How it is asked whether two things are the same, and whether one is in the other."""

Read: TypeAlias = Callable[[ast.expr], Value]
Write: TypeAlias = Callable[[ast.expr, Value], None]
_OF_TENSORS = frozenset({"__len__", "__iter__", "__getitem__"}) | ANY_TENSOR_MEMBERS
"""What each tensor has."""
_PLACES = ACCELERATOR_LEGACY | {f"torch.{name}" for name in LEGACY} | {"torch", "torch.cuda"}
"""The types of tensors on the one place and the other, and the modules that have them."""


def truth(value: Value) -> bool | None:
    """Return whether a value is true in a condition, None where that is not known."""
    verdicts = {_truth(option) for option in alternatives(value)}
    return verdicts.pop() if len(verdicts) == 1 else None


def _truth(value: Value) -> bool | None:
    if isinstance(value, Const):
        return bool(value.value)
    if (
        isinstance(value, Sequence)
        and value.items is not None
        and value.kind is not SequenceKind.ITERATOR
    ):
        return bool(value.items)
    if isinstance(value, Sequence) and value.kind is SequenceKind.DISTRIBUTION:
        return True  # it has no length
    if isinstance(value, Library):
        return True if _is_certain(value) else None
    if isinstance(value, (Instance, DeviceValue, Function, ClassValue, Partial)):
        return True
    if isinstance(value, Mapping) and value.items:
        return True
    return None


def _is_certain(value: Library) -> bool:
    """Whether a name of a library is certainly that of a module, a class or a function.

    What else goes by one may be a setting, such as `wandb.config.fast` or `torch.version.hip`.
    """
    name = value.name
    if name.startswith(SETTINGS_OF_TORCH):
        return False
    root, _, member = name.partition(".")
    return not member or root in STAYS_A_LIBRARY or kinds_of(name) is not None


def assumed(value: Value, node: ast.expr) -> bool | None:
    """Judge by its words a condition of which nothing else is known.

    One that goes by the place of something is not judged: where that is, is not known.

    Args:
        value: what the condition gives.
        node: its expression.
    """
    return None if goes_by_place(value) else flag(node)


def goes_by_place(value: Value) -> bool:
    """Whether a value tells where something is of which that isn't known."""
    return any(option == Scalar(ScalarKind.PLACE) for option in alternatives(value))


def compare(op: ast.cmpop, left: Value, right: Value) -> Value:
    """Evaluate a comparison of values that are no tensors."""
    if right != NONE and (isinstance(left, DeviceValue) or isinstance(right, DeviceValue)):
        verdict, is_within = _same_place(left, right), isinstance(right, DeviceValue)
        asked = (*_SAME, *_WITHIN) if is_within else _SAME  # `"cuda" in str(device)`
        if verdict is not None and isinstance(op, asked):
            return Const(verdict is isinstance(op, (ast.Eq, ast.Is, ast.In)))
        return _compare_index(op, left, right)
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _compare_identity(isinstance(op, ast.Is), left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _compare_constants(op, left.value, right.value)
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(left, Const):
        held = _has_key(left, right)
        return Scalar(ScalarKind.BOOL) if held is None else Const(held is isinstance(op, ast.In))
    return Scalar(ScalarKind.BOOL)


def _compare_index(op: ast.cmpop, left: Value, right: Value) -> Value:
    """Compare the number of a device, as `x.get_device() >= 0` does: that of the CPU is -1."""
    if isinstance(right, DeviceValue):
        op, left, right = MIRRORED.get(type(op), type(op))(), right, left
    compared = COMPARISONS.get(type(op))
    if type(op) not in MIRRORED or compared is None or not _is_number(right):
        return Scalar(ScalarKind.BOOL)
    place = device_place(left)
    if place is Place.HOST:
        return Const(compared(-1, right.value))
    if not place.is_device:
        return Scalar(ScalarKind.PLACE)
    first, last = compared(0, right.value), compared(math.inf, right.value)
    return Const(first) if first is last else Scalar(ScalarKind.BOOL)


def _is_number(value: Value) -> TypeGuard[Const]:
    return isinstance(value, Const) and isinstance(value.value, (int, float))


def _has_key(key: Const, value: Value) -> bool | None:
    """Whether a dict has a key, None where that is not known."""
    if not isinstance(value, Mapping):
        return None
    if value.get(key.value) is not None:
        return True
    return False if value.rest == MISSING else None


def _same_place(left: Value, right: Value) -> bool | None:
    places = [device_place(left), device_place(right)]
    if places[0] is places[1]:
        return None if places[0] is Place.UNKNOWN else True
    return False if Place.HOST in places and any(place.is_device for place in places) else None


def device_place(value: Value) -> Place:
    """Where a device value, or a string or number used as one, points."""
    if isinstance(value, DeviceValue):
        return value.place
    if isinstance(value, Const) and isinstance(value.value, str):
        kind = value.value.partition(":")[0]
        if kind == HOST_TYPE:
            return Place.HOST
        if kind in ACCELERATOR_TYPES:
            return Place.ACCELERATOR
    if (
        isinstance(value, Const)
        and isinstance(value.value, int)
        and not isinstance(value.value, bool)
    ):
        return Place.ACCELERATOR if value.value >= 0 else Place.HOST
    return Place.UNKNOWN


def _compare_identity(positive: bool, left: Value, right: Value) -> Value:
    if right == NONE:
        verdicts = {_is_none(option) for option in alternatives(left)}
        if len(verdicts) == 1 and (verdict := verdicts.pop()) is not None:
            return Const(verdict is positive)
    elif isinstance(left, Const) and isinstance(right, Const):
        return Const((left.value is right.value) is positive)
    return Scalar(ScalarKind.BOOL)


def _is_none(value: Value) -> bool | None:
    is_open = isinstance(value, Method) and isinstance(value.bound, Unknown)
    if is_open or isinstance(value, Unknown):
        return None  # what is called a method of something unknown may be any attribute
    if isinstance(value, Library) and not _is_certain(value):
        return None
    return value == NONE


def _compare_constants(op: ast.cmpop, left: object, right: object) -> Value:
    compared = COMPARISONS.get(type(op))
    are_numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    if compared is None or not (are_numbers or isinstance(op, (ast.Eq, ast.NotEq))):
        return Scalar(ScalarKind.BOOL)
    try:
        return Const(compared(left, right))
    except TypeError:
        return Scalar(ScalarKind.BOOL)


def narrow(test: ast.expr, taken: bool, read: Read, write: Write) -> None:
    """Sharpen what names hold in a branch, by the condition that leads there.

    Args:
        test: the condition.
        taken: whether the branch is the one where it is true.
        read: gives the value of an expression without side effects.
        write: replaces the value at an access path.
    """
    _narrow_scalar(test, taken, read, write)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(test.operand, not taken, read, write)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is taken:
            for value in test.values:
                narrow(value, taken, read, write)
        else:
            _narrow_by_one(test.values, taken, read, write)
            if not taken:
                _forget_types(test.values, read, write)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        _narrow_none(test, taken, read, write)
        _narrow_exact_type(test, taken, read, write)
    elif isinstance(test, ast.Call):
        _narrow_type(test, taken, read, write)
    elif path_of(test):
        options = _with_truth(alternatives(read(test)), taken)
        if options:
            write(test, choice(options))


def _with_truth(options: Iterable[Value], taken: bool) -> list[Value]:
    """Those of several values that may be true, or false: a tensor, beside a list, is neither."""
    left = [option for option in options if _truth(option) in (taken, None)]
    has_lists = any(isinstance(option, Sequence) for option in left)
    return [option for option in left if not (has_lists and isinstance(option, Tensor))]


def _narrow_by_one(tests: list[ast.expr], taken: bool, read: Read, write: Write) -> None:
    """Sharpen what a name holds by conditions of which one or another turned out as told.

    Only what each of them tells is left, in one case or another.
    """
    learned: list[dict[str, tuple[ast.expr, Value]]] = []
    for test in tests:
        told: dict[str, tuple[ast.expr, Value]] = {}

        def note(node: ast.expr, value: Value, told: dict[str, Any] = told) -> None:
            told[path_of(node) or ""] = (node, value)

        narrow(test, taken, read, note)
        learned.append(told)
    for path in set(learned[0]).intersection(*learned[1:]):
        write(learned[0][path][0], choice([told[path][1] for told in learned]))


def _forget_types(tests: list[ast.expr], read: Read, write: Write) -> None:
    """Forget of which type something is where that was asked, and something else as well."""
    for test in tests:
        if isinstance(test, ast.Call) and dotted(test.func) == "isinstance" and len(test.args) == 2:
            subject, asked = test.args
            if path_of(subject):
                options = alternatives(read(subject))
                if any(_is_of_type(option, asked) for option in options):
                    known = [UNKNOWN if _is_of_type(o, asked) else o for o in options]
                    write(subject, choice(known))


def _is_of_type(value: Value, asked: ast.expr) -> bool:
    """Whether a container is of a type that is asked for, or of one of several."""
    kind = "dict" if isinstance(value, Mapping) else ""
    kind = value.kind.value if isinstance(value, Sequence) else kind
    return any(isinstance(part, ast.Name) and part.id == kind for part in walk(asked))


def _narrow_none(test: ast.Compare, taken: bool, read: Read, write: Write) -> None:
    subject, op, other = test.left, test.ops[0], test.comparators[0]
    if not (isinstance(other, ast.Constant) and other.value is None and path_of(subject)):
        return
    wants_none = isinstance(op, (ast.Is, ast.Eq)) is taken
    options = [o for o in alternatives(read(subject)) if _is_none(o) in (wants_none, None)]
    if options:
        write(
            subject,
            NONE
            if wants_none and len(options) == 1 and _is_none(options[0]) is None
            else choice(options),
        )


def _narrow_scalar(test: ast.expr, taken: bool, read: Read, write: Write) -> None:
    """Sharpen whether a tensor has a dimension."""
    told = is_scalar_where(test, taken)
    if told is None or not path_of(told[0]):
        return
    subject, scalar = told
    options = alternatives(read(subject))
    left = [
        replace(option, scalar=scalar) if isinstance(option, Tensor) else option
        for option in options
        if not isinstance(option, Tensor) or option.scalar in {None, scalar}
    ]
    if left and tuple(left) != options:
        write(subject, choice(left))


def _narrow_exact_type(test: ast.Compare, taken: bool, read: Read, write: Write) -> None:
    """`type(x) is Tensor` tells what `isinstance(x, Tensor)` does, but of parameters."""
    left, operator = test.left, test.ops[0]
    if not (isinstance(left, ast.Call) and dotted(left.func) == "type" and len(left.args) == 1):
        return
    subject = left.args[0]
    if not isinstance(operator, _SAME) or not path_of(subject):
        return
    if any(isinstance(o, Tensor) and o.registered for o in alternatives(read(subject))):
        return
    asked = ast.Call(ast.Name("isinstance", ast.Load()), [subject, test.comparators[0]], [])
    _narrow_type(asked, taken is isinstance(operator, (ast.Is, ast.Eq)), read, write)


def _narrow_type(test: ast.Call, taken: bool, read: Read, write: Write) -> None:
    name = dotted(test.func) or ""
    last = name.rpartition(".")[2]
    if last == "is_tensor" and len(test.args) == 1:
        wanted = "tensor"
    elif name == "isinstance" and len(test.args) == 2:
        wanted = _wanted_type(test.args[1], read)
    elif name == "hasattr" and test.args:
        wanted = "other"
    else:
        return
    subject = test.args[0]
    if not path_of(subject) or not wanted:
        return
    value = read(subject)
    if taken:
        matching = [m for o in alternatives(value) if (m := _as_type(o, wanted)) is not None]
        if matching and name != "hasattr":
            write(subject, choice([_of_class(each, test.args[-1], read) for each in matching]))
    else:
        asked = test.args[-1]
        other = NO_TENSOR if wanted == "tensor" else UNKNOWN
        left = (o for o in alternatives(value) if not _surely_is(o, wanted))
        if name == "hasattr":
            left = (o for o in left if not _surely_has(o, asked))
        rest = [_unless(option, asked, other) for option in left]
        if rest:
            write(subject, choice(rest))


def _of_class(value: Value, asked: ast.expr, read: Read) -> Value:
    """A loader that is of a class of the project's own may bring its batches wherever it likes."""
    is_own = isinstance(value, Loader) and isinstance(read(asked), ClassValue)
    return UNKNOWN if is_own else value


def _wanted_type(node: ast.expr, read: Read) -> str:
    """What a type that is asked for says: `placed` is a tensor on the CPU, or on CUDA.

    `isinstance(x, torch.FloatTensor)` is false of a tensor on CUDA.
    Source: `Tensor_instancecheck` in torch/csrc/tensor/python_tensor.cpp.
    """
    name = (dotted(node) or "").rpartition(".")[2]
    if name in TENSOR_CLASSES:
        named = read(node)
        if isinstance(named, Library) and is_of_another_framework(named.name):
            return "other"
        return "tensor" if name == "Tensor" else "placed"
    return "other" if name or isinstance(node, ast.Tuple) else ""


def _as_type(value: Value, wanted: str) -> Value | None:
    if wanted == "placed":
        tensor = _as_type(value, "tensor")
        return None if tensor is None else blur(tensor)
    if wanted == "tensor":
        if isinstance(value, Tensor):
            return value
        if isinstance(value, Bundle):
            return Tensor(value.place, origin=value.origin, entered=value.entered)
        if isinstance(value, Unknown):
            if value in NO_TENSORS:
                return None
            handed = value in (ARGUMENT, ITEM)
            return Tensor(Place.ACCELERATOR if handed else Place.UNKNOWN)
        return None
    return None if isinstance(value, Tensor) else value


def _surely_is(value: Value, wanted: str) -> bool:
    return wanted == "tensor" and isinstance(value, Tensor)


def _surely_has(value: Value, name: ast.expr) -> bool:
    """Whether something is a tensor, and has an attribute that all tensors have."""
    is_of_tensors = isinstance(name, ast.Constant) and name.value in _OF_TENSORS
    return is_of_tensors and isinstance(value, Tensor)


def _unless(value: Value, asked: ast.expr, other: Value) -> Value:
    """A structure that failed a test of its type is not known to hold tensors at all.

    Args:
        other: what it is then.
    """
    return other if isinstance(value, Bundle) or _is_of_type(value, asked) else value


def join_unplaced(first: Value, second: Value) -> Value:
    """Join what two branches give whose condition is about devices.

    Values that differ may each be right where they are used, unless they live in one place.
    """
    if first == second:
        return first
    return unplaced((*alternatives(first), *alternatives(second)))


def unplaced(options: tuple[Value, ...]) -> Value:
    """One of several values, of which it is not known which: nowhere, unless all are in one place.

    Args:
        options: at least one value, none of them a joined one.
    """
    places = {o.place if isinstance(o, (Tensor, Bundle)) else Place.UNKNOWN for o in options}
    if len(places) == 1 and Place.UNKNOWN not in places:
        return choice(options)
    return choice([blur(option) for option in options])


def blur(value: Value) -> Value:
    """Forget where a tensor, or what names a place, lives; types, and what has them, do as well."""
    if isinstance(value, (Tensor, Bundle)):
        return placeless(value)
    if isinstance(value, Library) and value.name in _PLACES:
        return UNKNOWN
    if isinstance(value, (Sequence, Mapping)) or device_place(value) is not Place.UNKNOWN:
        return UNKNOWN
    return value
