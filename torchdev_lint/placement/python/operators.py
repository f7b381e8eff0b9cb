"""Operators: arithmetic and comparisons."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.conversions import note_beside_array
from torchdev_lint.placement.defects.failing import is_number, raises_before
from torchdev_lint.placement.defects.mistaken import note_operands
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.defects.reads import note_truth
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.joins import (
    certain_items,
    choice,
    join,
    sequence,
    with_an_axis,
    with_axes,
)
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.products import product_axes
from torchdev_lint.placement.domain.values import (
    ARRAY,
    ITEM,
    NONE,
    NUMERIC,
    OF_NUMPY,
    QUOTIENT,
    UNKNOWN,
    Bundle,
    Const,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence import conditions
from torchdev_lint.placement.evidence.devices import made_up
from torchdev_lint.placement.evidence.types import is_of_type
from torchdev_lint.placement.python.containers import merged
from torchdev_lint.placement.python.library_calls import library_called
from torchdev_lint.placement.python.own_state import made_of_own_state
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import last_component

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip

_NUMBERS = (Const, Scalar, Size)
"""What an array may be computed with, and stays one."""

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def evaluate_binary(run: Run, node: ast.BinOp) -> Value:
    """Evaluate an operator; a long sum nests to the left, and is gone through in a loop.

    Around operands that can't be computed with nothing is computed, which is asked once for each.
    """
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    failing, raises = run.frame.failing, False
    value = run.evaluate(spine[-1].left)
    for step in reversed(spine):
        right = run.evaluate(step.right)
        if run.frame.failing is not failing:
            failing = run.frame.failing
            raises = raises or _raises_before(run, step)
        if raises:
            value = UNKNOWN
        else:
            value = binary(run, step, (value, step.left), (right, step.right), in_place=False)
    return made_of_own_state(run, value, node)


def _raises_before(run: Run, node: ast.BinOp) -> bool:
    """Whether an operand somewhere in an expression raises, and is no call."""
    failing = run.frame.failing
    return failing is not None and not isinstance(failing[0], ast.Call) and raises_before(run, node)


def binary(
    run: Run,
    node: ast.BinOp | ast.AugAssign,
    left: tuple[Value, ast.expr],
    right: tuple[Value, ast.expr],
    in_place: bool,
) -> Value:
    """Evaluate an arithmetic operator.

    Args:
        in_place: whether it is an augmented assignment.
    """
    note_operands(run, node, left, right)
    if note_beside_array(run, node, Operand(*left), right[0]):
        return UNKNOWN
    if _is_array(*left) and any(isinstance(o, Tensor) for o in alternatives(right[0])):
        return UNKNOWN  # NumPy refuses to, wherever the tensor is
    if _is_quotient(node.op, left[0], right[0]):
        return QUOTIENT
    left, right = _beside_array(run, left, right[0]), _beside_array(run, right, left[0])
    plain = _plain(node, left, right)
    if plain is not None:
        return plain
    policy = Policy.STRICT if isinstance(node.op, ast.MatMult) else Policy.ELEMENTWISE
    operands = [Operand(*left), Operand(*right)]
    if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and _is_mask(left[0], right[0]):
        name = _OPERATORS[type(node.op)]
        return as_mask(operate(run, name, node, operands, policy, in_place=in_place))
    result = operate(run, _OPERATORS[type(node.op)], node, operands, policy, in_place=in_place)
    if isinstance(node.op, ast.MatMult):
        if any(_is_matrix(operand.value) for operand in operands):
            result = with_an_axis(result)
        result = with_axes(result, product_axes("matmul", operands))
    return _as_before(operands, result)


def _is_matrix(value: Value) -> bool:
    """Whether a tensor has two axes or more: its product with another one has one at least."""
    return isinstance(value, Tensor) and value.axes is not None and value.axes > 1


def _plain(
    node: ast.BinOp | ast.AugAssign, left: tuple[Value, ast.expr], right: tuple[Value, ast.expr]
) -> Value | None:
    """What is computed of what are no tensors: numbers, arrays, lists and dicts."""
    plain = _plain_arithmetic(node.op, left[0], right[0])
    if plain is None and isinstance(node.op, ast.Add):
        plain = _joined_lists(left[0], right[0])
    if isinstance(node.op, ast.BitOr) and (base := _as_dict(left[0], right[0])) is not None:
        plain = merged(base, *right)
    return plain


def _is_quotient(op: ast.operator, left: Value, right: Value) -> bool:
    """Whether numbers make what `/` gives: of two numbers, or of such a one and another."""
    if not isinstance(op, ast.Div) and QUOTIENT not in (left, right):
        return False
    return is_number(left) and is_number(right)


def is_with_array(left: Value | None, right: Value | None) -> bool:
    """Return whether one of two operands is an array with axes, and the other that or numbers."""
    return ARRAY in (left, right) and all(
        operand == ARRAY or isinstance(operand, _NUMBERS) for operand in (left, right)
    )


def _numeric(op: ast.operator, left: Value, right: Value) -> Value | None:
    """What is computed with an array or a table: the same, if the other is that or a number.

    Whatever nothing is known of is no tensor on an accelerator then: arrays can't be computed with.
    """
    options = (*alternatives(left), *alternatives(right))
    if not all(isinstance(option, (Unknown, *_NUMBERS)) for option in options):
        return None
    return ARRAY if ARRAY in (left, right) and not isinstance(op, ast.MatMult) else NUMERIC


def _is_array(value: Value, node: ast.expr) -> bool:
    """Whether an operand is an array for certain: it has axes, or is what `.numpy()` gives."""
    is_made = isinstance(node, ast.Call) and last_component(node.func) == "numpy"
    return value == ARRAY or (is_made and isinstance(value, Unknown))


def _is_of_numpy(value: Value) -> bool:
    return isinstance(value, Unknown) and value in OF_NUMPY


def _beside_array(
    run: Run, operand: tuple[Value, ast.expr], other: Value
) -> tuple[Value, ast.expr]:
    """What is computed with an array: a number, if the function at hand uses it as a size."""
    value, node = operand
    if other != ARRAY or value != UNKNOWN or not isinstance(node, ast.Name):
        return operand
    is_size = run.in_function and node.id in run.file.sizes_in(run.frame.node)
    return (Scalar(ScalarKind.INT), node) if is_size else operand


def _as_dict(value: Value, other: Value) -> Mapping | None:
    """The dict that one side of `|` is, as a batch is beside a dict."""
    if isinstance(value, Bundle) and isinstance(other, Mapping):
        return Mapping((), value)
    return value if isinstance(value, Mapping) else None


def _joined_lists(left: Value, right: Value) -> Value | None:
    """What `+` gives where it may join lists; None if there is none among the operands.

    Only lists are added to lists: a tensor that the other one may be elsewhere is none here, if
    this one certainly is a list.
    """
    sides = [list(alternatives(side)) for side in (left, right)]
    lists = [[o for o in side if isinstance(o, Sequence)] for side in sides]
    if not any(lists):
        return None
    ones = lists[0] if lists[0] and lists[1] == sides[1] else sides[0]
    others = lists[1] if lists[1] and lists[0] == sides[0] else sides[1]
    pairs = ((one, other) for one in ones for other in others)
    return choice([_plain_arithmetic(ast.Add(), *pair) or UNKNOWN for pair in pairs])


def _as_before(operands: list[Operand], result: Value) -> Value:
    """What an operator gives of a structure that may hold arrays: it takes them as well.

    A model out of sight may give some, or what it has brought back, and arithmetic with numbers
    doesn't tell that these are tensors.
    """
    options = [option for operand in operands for option in alternatives(operand.value)]
    structures = [o for o in options if isinstance(o, Bundle) and _may_hold_arrays(o)]
    if not structures or any(isinstance(option, Tensor) for option in options):
        return result
    return choice([_structure(structures[0], o) for o in alternatives(result)])


def _may_hold_arrays(value: Bundle) -> bool:
    return value.place is Place.ACCELERATOR and not (value.stays or value.moved_from)


def _structure(source: Bundle, result: Value) -> Value:
    return source if isinstance(result, Tensor) and result.place is source.place else result


def _is_mask(*values: Value) -> bool:
    return any(isinstance(o, Tensor) and o.mask for value in values for o in alternatives(value))


def _plain_arithmetic(op: ast.operator, left: Value, right: Value) -> Value | None:
    if isinstance(left, Const) and isinstance(left.value, str):
        return _of_text(op, left.value, right)
    if _is_of_numpy(left) or _is_of_numpy(right):
        return _numeric(op, left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _fold(op, left.value, right.value)
    if isinstance(left, Sequence) and isinstance(right, Sequence) and isinstance(op, ast.Add):
        if left.items is not None and right.items is not None:
            return sequence([*left.items, *right.items], left.kind)
        together = (*certain_items(left), *certain_items(right))[:4]
        return Sequence(None, join(left.element, right.element), left.kind, together)
    if isinstance(op, ast.Add) and _is_shape(left) and _is_shape(right):
        longer = any(isinstance(v, Size) and v.scalar is False for v in (left, right))
        filled = any(isinstance(v, Sequence) and certain_items(v) for v in (left, right))
        return Size(False if longer or filled else None)
    if isinstance(op, ast.Add) and isinstance(left, Sequence) and isinstance(right, Unknown):
        return Sequence(None, UNKNOWN, left.kind, certain_items(left)[:4])
    if isinstance(op, ast.Mult) and (isinstance(left, Sequence) or isinstance(right, Sequence)):
        repeated = left if isinstance(left, Sequence) else right
        assert isinstance(repeated, Sequence)
        return Sequence(None, repeated.element, repeated.kind)
    if _is_plain(left) and _is_plain(right):
        kinds = {o.kind for o in (left, right) if isinstance(o, Scalar)}
        return Scalar(kinds.pop() if len(kinds) == 1 else ScalarKind.FLOAT)
    return None


def _of_text(op: ast.operator, left: str, right: Value) -> Value:
    """What an operator makes of a string and something else."""
    if isinstance(op, ast.Mod):
        return made_up(left.partition("%")[0])
    if not isinstance(op, ast.Add):
        return Scalar(ScalarKind.STR)
    if not (isinstance(right, Const) and isinstance(right.value, str)):
        return made_up(left)
    is_short = len(left) + len(right.value) < _LONGEST_TEXT
    return Const(left + right.value) if is_short else Scalar(ScalarKind.STR)


def _is_shape(value: Value) -> bool:
    return isinstance(value, (Sequence, Size))


def _is_plain(value: Value) -> bool:
    return all(isinstance(option, (Const, Scalar)) for option in alternatives(value))


_LARGE = 2**63
"""Numbers from here on are not computed with: they may have any number of digits."""


_LONGEST_TEXT = 200
"""How many characters a string has at the most that is known."""


def _fold(op: ast.operator, left: object, right: object) -> Value:
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        small = abs(left) < _LARGE and abs(right) < _LARGE
        if isinstance(op, ast.Add) and small:
            return Const(left + right)
        if isinstance(op, ast.Sub) and small:
            return Const(left - right)
        whole = isinstance(left, int) and isinstance(right, int)
        return Scalar(ScalarKind.INT if whole else ScalarKind.FLOAT)
    return Scalar(ScalarKind.OTHER)


def evaluate_unary(run: Run, node: ast.UnaryOp) -> Value:
    """Evaluate `not`, `-` and `~`."""
    value = run.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        note_truth(run, node.operand, value)
        verdict = conditions.truth(value)
        if verdict is None:
            verdict = conditions.assumed(value, node.operand)
        if verdict is not None:
            return Const(not verdict)
        by_place = conditions.goes_by_place(value)
        return Scalar(ScalarKind.PLACE if by_place else ScalarKind.BOOL)
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        return Const(-value.value) if isinstance(node.op, ast.USub) else Scalar(ScalarKind.INT)
    return value


def evaluate_comparison(run: Run, node: ast.Compare) -> Value:
    """Evaluate a comparison, which of tensors gives a mask."""
    left = run.evaluate(node.left)
    if _is_of_another_type(run, node):
        return Const(isinstance(node.ops[0], (ast.NotEq, ast.IsNot)))
    left_node = node.left
    result: Value = Const(True)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = run.evaluate(right_node)
        if isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            result = conditions.compare(op, left, right)
        elif isinstance(op, (ast.Eq, ast.NotEq)) and _asks_for_none(left, right):
            identity = ast.Is() if isinstance(op, ast.Eq) else ast.IsNot()
            result = conditions.compare(identity, right if left == NONE else left, NONE)
        elif _may_be_text(left) and _may_be_text(right):
            result = UNKNOWN  # a mask, if it is a tensor
        elif _may_be_tensor(left) or _may_be_tensor(right):
            operands = [Operand(left, left_node), Operand(right, right_node)]
            compared = operate(run, _COMPARISONS[type(op)], node, operands, Policy.ELEMENTWISE)
            result = as_mask(_as_before(operands, compared))
        else:
            result = conditions.compare(op, left, right)
            if is_with_array(left, right):
                result = ARRAY
            elif UNKNOWN in (left, right) and not isinstance(result, Const):
                result = UNKNOWN  # a mask, if it is a tensor
            elif ITEM in (left, right) and any(map(_is_plain_number, (left, right))):
                result = ITEM  # likewise
        left, left_node = right, right_node
    return result


def _may_be_text(value: Value) -> bool:
    """Whether something is a part of a batch that nothing was done with: names are one, too."""
    return all(isinstance(o, Bundle) and o.part and not o.moved_from for o in alternatives(value))


def _is_plain_number(value: Value) -> bool:
    """Whether a value is a number that is written out, which tensors are compared with as well."""
    return isinstance(value, Const) and type(value.value) in (int, float)


def _asks_for_none(left: Value, right: Value) -> bool:
    """Whether a tensor is compared with None: that gives a bool, where an array gives a mask."""
    if NONE not in (left, right):
        return False
    other = right if left == NONE else left
    return all(isinstance(option, Tensor) or option == NONE for option in alternatives(other))


def _is_of_another_type(run: Run, node: ast.Compare) -> bool:
    """Whether a comparison is one of `type(x)` with a type that `x` is certainly not of."""
    call = node.left
    if not (isinstance(call, ast.Call) and len(node.ops) == len(call.args) == 1):
        return False
    if not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
        return False
    if not isinstance(call.args[0], (ast.Name, ast.Attribute)):
        return False
    if library_called(run, call) != "builtins.type":
        return False
    wanted, value = node.comparators[0], run.evaluate(call.args[0])
    return all(is_of_type(option, wanted) is False for option in alternatives(value))


def as_mask(value: Value) -> Value:
    """A tensor that is known to be boolean."""
    return choice(
        [replace(o, mask=True) if isinstance(o, Tensor) else o for o in alternatives(value)]
    )


def _may_be_tensor(value: Value) -> bool:
    return any(type(o).__name__ in {"Tensor", "Bundle"} for o in alternatives(value))
