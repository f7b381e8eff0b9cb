"""Values that code takes for something else: to use them so raises on every machine."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import MOVES, NOT_OF_ARRAYS, NOT_OF_TENSORS, TENSOR_MEMBERS
from torchdev_lint.catalog.modules import MODULE_METHODS
from torchdev_lint.placement.defects.failing import fails, given_names, is_number
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.values import (
    ARRAY,
    NONE,
    QUOTIENT,
    Const,
    Place,
    Scalar,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import FUNCTIONS

_PLAIN = (Tensor, Const, Scalar, Size)
"""What can't be computed with `None`, and does not know how to."""
_LISTS = frozenset({SequenceKind.LIST, SequenceKind.TUPLE})
_OF_OTHERS = TENSOR_MEMBERS | MODULE_METHODS
"""What tensors and modules have, but for what moves them: of that a rule tells."""
_NOT_OF_LISTS = _OF_OTHERS - MOVES - {*dir(list), *dir(tuple)}
_NOT_OF_DICTS = _OF_OTHERS - MOVES - {*dir(dict)}
_OF_A_CALL = 3
"""How many frames there are at least in what is called: the file's, the entry point's, its own."""


def is_plain_without(run: Run, owner: Value, node: ast.Attribute) -> bool:
    """Return whether a list, a dict, an array, a number or a text is asked for a tensor's member.

    Or for one of a module's, or a tensor for one of theirs. What an attribute holds may have been
    replaced from anywhere, and a number may be the default of what is given otherwise.

    Args:
        owner: what is asked.
        node: the expression that asks.
    """
    name = node.attr
    if isinstance(owner, Sequence):
        is_listed = name in (MODULE_METHODS if _is_kept(node) else _NOT_OF_LISTS)
        return owner.kind in _LISTS and is_listed
    if _is_kept(node):
        return False
    if isinstance(owner, Tensor):
        return name in NOT_OF_TENSORS and owner.place is not Place.UNKNOWN
    if owner == ARRAY:
        return name in NOT_OF_ARRAYS or name in MOVES
    if isinstance(owner, Mapping):
        return name in _NOT_OF_DICTS
    if not isinstance(owner, Const) or owner == NONE or name not in _OF_OTHERS | MOVES:
        return False
    return not hasattr(owner.value, name) and _is_own(run, node.value)


def _is_kept(node: ast.Attribute) -> bool:
    """Whether it is asked of what an attribute holds."""
    return isinstance(node.value, ast.Attribute)


def _is_own(run: Run, node: ast.expr) -> bool:
    """Whether an expression is a literal, or a variable of the function at hand: no parameter."""
    function = run.frame.node
    if not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS):
        return isinstance(node, ast.Constant)
    return node.id in run.frame.env.names and node.id not in given_names(run)


def gives_nothing(run: Run, node: ast.expr, value: Value) -> bool:
    """Return whether an expression certainly gives `None`, which has no parts.

    It calls a function that returns nothing, is a variable that is given that once, or a parameter
    of a function that is called so. Methods may be those of an heir, and attributes may be set from
    anywhere.

    Args:
        node: the expression.
        value: what it gives.
    """
    if value != NONE or not isinstance(run.frame.node, FUNCTIONS):
        return False
    if isinstance(node, ast.Name):
        held = run.file.held_in(run.frame.node).get(node.id)
        if held is None:
            return _is_left_out(run, node.id)
        node = held
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name)
    return isinstance(node, ast.Constant)


def _is_left_out(run: Run, name: str) -> bool:
    """Whether a parameter is what the call at hand leaves it, or gives it.

    What is run without a call may be given anything, and a decorator may give more.
    """
    if run.frame.node is run.entry or len(run.frames) < _OF_A_CALL:
        return False
    if any(getattr(frame.node, "decorator_list", ()) for frame in run.frames):
        return False
    return name in given_names(run)


def note_operands(
    run: Run,
    node: ast.BinOp | ast.AugAssign,
    left: tuple[Value, ast.expr],
    right: tuple[Value, ast.expr],
) -> None:
    """Note that an arithmetic operator raises if one of its operands is `None`.

    Or if one is a list and the other a number, which may only say how often that is repeated.
    """
    for (value, operand), (other, _) in ((left, right), (right, left)):
        if gives_nothing(run, operand, value) and isinstance(other, _PLAIN):
            fails(run, operand)
        elif isinstance(value, Sequence) and isinstance(other, Const):
            is_of_number = value.kind in _LISTS and isinstance(other.value, (int, float))
            if is_of_number and not isinstance(node.op, ast.Mult):
                fails(run, operand)


def note_index(run: Run, node: ast.Subscript, base: Value, index: Value) -> None:
    """Note that a subscript raises that asks for what `/` gives, or for a slice bounded by it.

    So does one that asks a shape for an axis that isn't there.

    Args:
        node: the subscript.
        base: what it is asked of.
        index: what it asks for.
    """
    asked = index.items or () if isinstance(index, Sequence) else (index,)
    if QUOTIENT in asked and all(
        option == ARRAY or isinstance(option, (Tensor, Sequence, Size))
        for option in alternatives(base)
    ):
        fails(run, node)
    elif isinstance(index, Const) and type(index.value) is int:
        if all(_has_not(option, index.value) for option in alternatives(base)):
            fails(run, node)


def _has_not(value: Value, axis: int) -> bool:
    """Whether an axis is asked for that there certainly isn't."""
    axes = value.axes if isinstance(value, Size) else None
    return axes is not None and not -axes <= axis < axes


def note_unpacking(run: Run, targets: list[ast.expr], node: ast.expr, value: Value) -> None:
    """Note that an assignment raises which takes more, or less, apart than there is.

    A parameter that is annotated as a number, and is taken apart, has the wrong annotation.

    Args:
        targets: what is assigned to.
        node: what is taken apart.
        value: what that holds.
    """
    if isinstance(value, Scalar) and _may_be_given(run, node):
        return
    for target in targets:
        is_taken_apart = isinstance(target, (ast.Tuple, ast.List))
        if (is_taken_apart and gives_nothing(run, node, value)) or _is_not_for(target, value):
            fails(run, node)


def _may_be_given(run: Run, node: ast.expr) -> bool:
    """Whether an expression is a parameter of the function at hand, or an attribute."""
    if isinstance(node, ast.Name):
        return node.id in given_names(run)
    return isinstance(node, ast.Attribute)


def _is_not_for(target: ast.expr, value: Value) -> bool:
    """Whether a value certainly can't be taken apart as a target wants it."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return False
    if any(isinstance(element, ast.Starred) for element in target.elts):
        return False
    return all(_is_of_other_form(target.elts, option) for option in alternatives(value))


def _is_of_other_form(targets: list[ast.expr], value: Value) -> bool:
    if isinstance(value, Size):
        axes = 0 if value.scalar is True else value.axes
        return axes is not None and axes != len(targets)
    if not isinstance(value, Sequence):
        return is_number(value)
    if value.kind is not SequenceKind.TUPLE or value.items is None:
        return False
    return len(value.items) != len(targets) or any(map(_is_not_for, targets, value.items))


def note_call_of_value(run: Run, node: ast.Call, value: Value) -> None:
    """Note that a call raises of a variable that holds a number, a text or a tensor.

    Args:
        node: the call.
        value: what is called.
    """
    function = run.frame.node
    if not isinstance(node.func, ast.Name) or not isinstance(function, FUNCTIONS):
        return
    if isinstance(value, _PLAIN) and value != NONE and node.func.id in run.file.held_in(function):
        fails(run, node)
