"""How names are used in a scope: one walk over its code."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from torchdev_lint.catalog import operations
from torchdev_lint.catalog.factories import CONVERTERS, FACTORY_NAMES, LIKE, TENSOR_CLASSES
from torchdev_lint.catalog.methods import (
    MOVES_TO_DEVICE,
    NOT_OF_ARRAYS,
    PICKED_ALONG,
    TAKING_TENSORS,
    TENSOR_ARGUMENTS,
    TENSOR_METHODS,
    TYPE_TESTS,
)
from torchdev_lint.placement.evidence.carriers import carrier, is_axis
from torchdev_lint.placement.evidence.flows import FLOWS, conclude
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.syntax.names import Paths, dotted, last_component, path_of

_OPERATIONS = (
    operations.NEUTRAL_FUNCTIONS
    | operations.ELEMENTWISE
    | operations.CHECKED
    | operations.STRICT
    | operations.BROADCAST
    | operations.WRAPPERS
    | LIKE
)
"""Functions whose first argument, or the members of it, are tensors."""

_COMBINING = operations.ELEMENTWISE | operations.CHECKED | operations.STRICT | {"copy"}
"""Operations whose in-place forms only tensors have."""

_OF_ARRAYS = "from_numpy"
"""The function that takes arrays alone."""
_NO_AXIS = frozenset({None, ...})
"""What indexes a tensor that has no axes."""

_PLAIN_CALLS = frozenset(
    {"range", "int", "float", "str", "isinstance", "enumerate", "zip", "sorted", "list", "tuple",
     "dict", "set", "bool", "iter", "getattr", "hasattr", "format", "type", "min", "max", "round"}
)  # fmt: skip
"""Functions that are called with Python values rather than tensors."""


def collect_uses(nodes: list[ast.AST], torch_names: frozenset[str]) -> dict[str, Uses]:
    """Collect how names and their attributes are used in a function or class.

    Args:
        nodes: all of the function or class.
        torch_names: first components of names that mean `torch` or something in it.
    """
    found, flows = _Found(), list[ast.AST]()
    collectors: dict[type[ast.AST], _Collector] = {
        **_COLLECTORS,
        ast.Call: partial(_collect_call, torch_names=torch_names),
    }
    for node in nodes:
        kind = type(node)
        collect = collectors.get(kind)
        if collect is not None:
            collect(node, found.of)
        if kind in FLOWS:
            flows.append(node)
    conclude(flows, found.uses, torch_names)
    return found.uses


class _Found:
    """The uses that were found so far, by what is used."""

    def __init__(self) -> None:
        self.uses: dict[str, Uses] = {}
        self._path_of = Paths().of

    def of(self, node: ast.AST) -> Uses | None:
        """Return those of an expression; None if it is no name or attribute near one."""
        path = self._path_of(node)
        if path is None:
            return None
        known = self.uses.get(path)
        if known is None and path.count(".") <= 2:
            known = self.uses[path] = Uses()
        return known


_Of: TypeAlias = "Callable[[ast.AST], Uses | None]"
_Collector: TypeAlias = Callable[[Any, _Of], None]


def _collect_attribute(node: ast.Attribute, of: _Of) -> None:
    if use := of(node.value):
        use.members.add(node.attr)
    elif node.attr in NOT_OF_ARRAYS and (use := _carrying(node.value, of)):
        use.passed_to_torch = True


def _collect_computation(node: ast.BinOp, of: _Of) -> None:
    for side in (node.left, node.right):
        if use := of(side):
            use.computed = True
            use.passed_to_torch |= isinstance(node.op, ast.MatMult)


def _collect_subscript(node: ast.Subscript, of: _Of) -> None:
    shape = node.value
    if isinstance(shape, ast.Attribute) and shape.attr == "shape" and (use := of(shape.value)):
        use.has_axes = True
    if use := of(node.value):
        use.has_axes |= not (isinstance(node.slice, ast.Constant) and node.slice.value in _NO_AXIS)
        if isinstance(node.slice, ast.Tuple):
            use.sliced |= any(_is_axis(item) for item in node.slice.elts)
        elif isinstance(node.slice, ast.Constant):
            use.keyed |= isinstance(node.slice.value, str)
            use.picked |= isinstance(node.slice.value, int)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        bounds = (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else (part,)
        for bound in bounds:
            if bound is not None and (use := of(bound)):
                use.plain = True


def _collect_comparison(node: ast.Compare, of: _Of) -> None:
    sides = (node.left, *node.comparators)
    literal = any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides)
    nothing = any(isinstance(s, ast.Constant) and s.value is None for s in sides)
    ordering = all(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops)
    for side in sides:
        if use := of(side):
            use.plain |= literal or any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops)
            use.computed |= ordering
            use.combined |= ordering
            use.asked_for_none |= nothing


def _collect_test(node: ast.If | ast.While | ast.IfExp, of: _Of) -> None:
    _is_plain([node.test], of)


def _collect_logic(node: ast.BoolOp | ast.UnaryOp, of: _Of) -> None:
    if isinstance(node, ast.BoolOp):
        _is_plain(node.values, of)
    elif isinstance(node.op, ast.Not):
        _is_plain([node.operand], of)
    else:
        of(node.operand)  # what is done with the result tells of it as well


def _collect_loop(node: ast.For | ast.comprehension, of: _Of) -> None:
    _is_plain([node.iter], of)


def _is_plain(parts: list[ast.expr], of: _Of) -> None:
    for part in parts:
        if use := of(part):
            use.plain = True


_COLLECTORS: dict[type[ast.AST], _Collector] = {
    ast.Attribute: _collect_attribute,
    ast.BinOp: _collect_computation,
    ast.Subscript: _collect_subscript,
    ast.Compare: _collect_comparison,
    ast.If: _collect_test,
    ast.While: _collect_test,
    ast.IfExp: _collect_test,
    ast.BoolOp: _collect_logic,
    ast.UnaryOp: _collect_logic,
    ast.For: _collect_loop,
    ast.comprehension: _collect_loop,
}


def _is_axis(item: ast.expr) -> bool:
    constant = isinstance(item, ast.Constant) and (item.value is None or item.value is Ellipsis)
    return isinstance(item, ast.Slice) or constant


def _collect_call(node: ast.Call, of: _Of, torch_names: frozenset[str]) -> None:
    _collect_callee(node, of)
    position = TENSOR_ARGUMENTS.get(getattr(node.func, "attr", ""))
    if position is not None and position < len(node.args) and (use := of(node.args[position])):
        use.passed_to_torch = True
    if _takes_tensors(node.func):
        _combine(node, of)
    name = dotted(node.func)
    converts = name is not None and last_component(node.func) in CONVERTERS
    for argument in node.args:
        if use := of(argument):
            use.plain |= name in _PLAIN_CALLS or _makes_tensor(name)
            use.converted |= converts
            use.has_axes |= name == "len"
        if _makes_tensor(name) and not converts:
            _are_sizes(argument, of)
    if name is not None and last_component(node.func) == _OF_ARRAYS and node.args:
        source = _taken_from(node.args[0])
        if use := of(source):
            use.converted = True  # what holds an array is no tensor
    if name is not None:
        _collect_named_call(node, name, of, torch_names)
        _collect_type_test(node, name, of)


def _taken_from(node: ast.expr) -> ast.expr:
    """What an expression takes an item, or a part of one, out of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _are_sizes(argument: ast.expr, of: _Of) -> None:
    """Note what a factory takes as sizes, one by one or as a list."""
    listed = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
    for use in filter(None, map(of, listed)):
        use.size = True


def _collect_named_call(node: ast.Call, name: str, of: _Of, torch_names: frozenset[str]) -> None:
    for keyword in node.keywords:
        if keyword.arg is None and (use := of(keyword.value)):
            use.keyed = True
    if _is_operation(name, torch_names):
        _combine(node, of)
        for operand in _operands(name.rpartition(".")[2], node.args):
            if use := of(operand) or _carrying(operand, of):
                use.passed_to_torch = True


def _collect_type_test(node: ast.Call, name: str, of: _Of) -> None:
    if name.rpartition(".")[2] not in TYPE_TESTS or not node.args:
        return
    if use := of(node.args[0]):
        wanted = node.args[1] if len(node.args) > 1 else None
        if wanted is None or last_component(wanted) in TENSOR_CLASSES:
            use.asked_for_tensor = True
        else:
            use.asked_for_other = True


def _carrying(node: ast.expr, of: _Of) -> Uses | None:
    """The uses of what a tensor is computed from, if that is one name."""
    source = carrier(node)
    return None if source is None else of(source)


def _collect_callee(node: ast.Call, of: _Of) -> None:
    callee = node.func
    if use := of(callee):
        use.called = True
    if not isinstance(callee, ast.Attribute):
        return
    if use := of(callee.value):
        use.methods.add(callee.attr)
        use.has_axes |= callee.attr == "size" and bool(node.args)
        if callee.attr in MOVES_TO_DEVICE:
            use.moves.append(node)
    if _is_called_on_tensors(node, callee) and (use := _carrying(callee.value, of)):
        use.passed_to_torch = True


def _is_called_on_tensors(node: ast.Call, callee: ast.Attribute) -> bool:
    """Whether only a method of tensors is called like this: arrays name an axis by `axis`.

    They take no numbers for a `view`, which is of another type, nor to be flattened.
    Modules are cast as well, but nothing that is computed.
    Source: https://numpy.org/doc/stable/reference/arrays.ndarray.html
    """
    if callee.attr in operations.CASTS:
        return path_of(callee.value) is None
    if callee.attr in _BY_NUMBERS and any(map(_is_count, node.args)):
        return True
    if callee.attr in PICKED_ALONG and len(node.args) + len(node.keywords) > 1:
        return True
    named = any(keyword.arg == "dim" and is_axis(keyword.value) for keyword in node.keywords)
    return named and callee.attr in TENSOR_METHODS


def _is_count(node: ast.expr) -> bool:
    """Whether an expression is a number as it is written: `-1`."""
    literal = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(literal, ast.Constant) and type(literal.value) is int


def _takes_tensors(callee: ast.expr) -> bool:
    """Whether what is called is a method of a tensor that combines it with others."""
    if not isinstance(callee, ast.Attribute):
        return False
    if callee.attr in TAKING_TENSORS:
        return True
    return callee.attr.endswith("_") and callee.attr.rstrip("_") in _COMBINING


def _combine(node: ast.Call, of: _Of) -> None:
    """Note what takes part in an operation on tensors: names, their parts, and what indexes."""
    pending = [*node.args, *(keyword.value for keyword in node.keywords)]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.List, ast.Tuple)):
            pending += part.elts
        elif isinstance(part, ast.UnaryOp):
            pending.append(part.operand)
        elif isinstance(part, ast.Compare) and _is_number(part.comparators[0]):
            pending.append(part.left)
        elif isinstance(part, ast.Subscript):
            pending.append(part.slice)
        elif use := of(part):
            use.combined = True


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _is_operation(name: str, torch_names: frozenset[str]) -> bool:
    """Whether what goes by this name computes with tensors."""
    root, _, _ = name.partition(".")
    last = name.rpartition(".")[2]
    if root not in torch_names or last.rstrip("_") not in _OPERATIONS:
        return False
    return not any(part in name for part in _NOT_ON_TENSORS)


def _operands(name: str, arguments: list[ast.expr]) -> list[ast.expr]:
    """The arguments of an operation that must be tensors.

    These are the first argument, of a loss the first two, and the parts of a list of operands.
    """
    operands = arguments[: 2 if name in operations.LOSS_FUNCTIONS else 1]
    for argument in arguments[: 2 if name in operations.LISTED else 0]:
        if isinstance(argument, (ast.List, ast.Tuple)) and len(argument.elts) > 1:
            operands += argument.elts
    return operands


_BY_NUMBERS = frozenset({"view", "flatten"})
"""Methods to which tensors alone are told numbers: sizes, or axes."""
_NOT_ON_TENSORS = (".optim", "utils", "distributed", "cuda", "init")


def _makes_tensor(name: str | None) -> bool:
    """Whether a call makes a tensor of sizes or data, going by the last component of its name."""
    last = (name or "").rpartition(".")[2]
    return last in FACTORY_NAMES and last not in {"normal", "as_tensor"}
