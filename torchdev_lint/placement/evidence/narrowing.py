"""Narrowing: what a test that was passed or failed tells of the values it asks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from torchdev_lint.catalog.ecosystem import is_of_another_framework
from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.catalog.methods import ANY_TENSOR_MEMBERS
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    NO_TENSOR,
    NO_TENSORS,
    NONE,
    UNKNOWN,
    Bundle,
    ClassValue,
    Library,
    Loader,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
    is_one_tensor,
)
from torchdev_lint.placement.evidence.conditions import SAME, blur, is_none, truth_of_one
from torchdev_lint.records import replace
from torchdev_lint.syntax.form_tests import is_scalar_where
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.walking import walk

Read: TypeAlias = Callable[[ast.expr], Value]
Write: TypeAlias = Callable[[ast.expr, Value], None]
_OF_TENSORS = frozenset({"__len__", "__iter__", "__getitem__"}) | ANY_TENSOR_MEMBERS
"""What each tensor has."""


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
        _narrow_empty(test, taken, read, write)
        _narrow_exact_type(test, taken, read, write)
    elif isinstance(test, ast.Call):
        _narrow_type(test, taken, read, write)
    elif path_of(test):
        options = _with_truth(alternatives(read(test)), taken)
        if options:
            write(test, choice(options))


def _with_truth(options: Iterable[Value], taken: bool) -> list[Value]:
    """Those of several values that may be true, or false: a tensor, beside a list, is neither."""
    left = [option for option in options if truth_of_one(option) in (taken, None)]
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
    options = [o for o in alternatives(read(subject)) if is_none(o) in (wants_none, None)]
    if options:
        write(
            subject,
            NONE
            if wants_none and len(options) == 1 and is_none(options[0]) is None
            else choice(options),
        )


def _narrow_empty(test: ast.Compare, taken: bool, read: Read, write: Write) -> None:
    """Where `x == []` is false, `x` is no list without elements."""
    subject, op, other = test.left, test.ops[0], test.comparators[0]
    is_empty = isinstance(other, (ast.List, ast.Tuple)) and not other.elts
    if not (is_empty and path_of(subject) and isinstance(op, (ast.Eq, ast.NotEq))):
        return
    if isinstance(op, ast.Eq) is not taken:
        options = alternatives(read(subject))
        left = [o for o in options if not (isinstance(o, Sequence) and o.items == ())]
        write(subject, choice(left) if left else UNKNOWN)


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
    if not isinstance(operator, SAME) or not path_of(subject):
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
    return wanted == "tensor" and is_one_tensor(value)


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
