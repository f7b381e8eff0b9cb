"""What a name is, judged by its uses in a scope, where nothing else says so.

A name alone is never evidence; annotations win over uses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from torchdev_lint.catalog import operations
from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.methods import (
    ANY_TENSOR_MEMBERS,
    MOVES_TO_DEVICE,
    NEXT_METHODS,
    ONLY_TENSOR_ATTRIBUTES,
    ONLY_TENSOR_METHODS,
    STRUCTURE_MEMBERS,
    TENSOR_ARGUMENTS,
    TENSOR_MEMBERS,
    TENSOR_METHODS,
)
from torchdev_lint.catalog.modules import MODULE_METHODS
from torchdev_lint.syntax.names import dotted, path_of

_OPERATIONS = (
    operations.NEUTRAL_FUNCTIONS
    | operations.ELEMENTWISE
    | operations.CHECKED
    | operations.STRICT
    | operations.BROADCAST
    | operations.WRAPPERS
)
"""Functions whose first argument, or the members of it, are tensors."""

_PLAIN_CALLS = frozenset(
    {"range", "int", "float", "str", "isinstance", "enumerate", "zip", "sorted", "list", "tuple",
     "dict", "set", "bool", "iter", "getattr", "hasattr", "format", "type", "min", "max", "round"}
)  # fmt: skip
"""Functions that are called with Python values rather than tensors."""


@dataclass(slots=True)
class Uses:
    """How one name is used in a scope.

    Args:
        members: the attributes that are read from it.
        computed: whether it is an operand of arithmetic or of an ordering.
        keyed: whether it is looked up by strings, or spread as keywords.
        sliced: whether it is indexed along several axes.
        plain: whether it is used as no tensor is: as a size, an index, a flag, an iterable.
        methods: those of its attributes that are called.
        picked: whether single elements are picked by number, as from a tuple.
        asked_for_none: whether it is compared with `None` by `is`.
        moves: the calls of `.to()` and `.cuda()` on it.
        handed_over: whether a module or a loss takes it: a tensor, if it can be moved.
    """

    members: set[str] = field(default_factory=set)
    called: bool = False
    computed: bool = False
    passed_to_torch: bool = False
    keyed: bool = False
    sliced: bool = False
    plain: bool = False
    picked: bool = False
    methods: set[str] = field(default_factory=set)
    asked_for_none: bool = False
    moves: list[ast.Call] = field(default_factory=list)
    handed_over: bool = False

    def merge(self, other: Uses) -> Uses:
        """Return the uses in two scopes together."""
        return Uses(
            self.members | other.members,
            self.called or other.called,
            self.computed or other.computed,
            self.passed_to_torch or other.passed_to_torch,
            self.keyed or other.keyed,
            self.sliced or other.sliced,
            self.plain or other.plain,
            self.picked or other.picked,
            self.methods | other.methods,
            self.asked_for_none or other.asked_for_none,
            self.moves + other.moves,
            self.handed_over or other.handed_over,
        )

    def may_be_tensor(self) -> bool:
        """Whether nothing speaks against a tensor, and something for one."""
        if self.is_structure() or self.plain or self.picked or self.members - ANY_TENSOR_MEMBERS:
            return False
        return self.computed or bool(self.members)

    def speak_for_tensor(self) -> bool:
        """Whether the name must be a tensor, given that it is a parameter of `forward`."""
        return self.is_computed_with() or (self.handed_over and not self.is_structure())

    def is_computed_with(self) -> bool:
        """Whether the code at hand itself computes with the name as with a tensor."""
        if self.is_structure():
            return False
        return bool(self.members & TENSOR_MEMBERS) or self.passed_to_torch or self.sliced

    def is_structure(self) -> bool:
        """Whether the name holds something else than a tensor, which may move in place."""
        return (
            self.called
            or self.keyed
            or bool(self.members & (MODULE_METHODS | STRUCTURE_MEMBERS))
            or self.has_other_methods()
        )

    def has_other_methods(self) -> bool:
        """Whether methods are called that tensors don't have, in place or not."""
        return any(
            not name.startswith("__") and {name, name.rstrip("_")}.isdisjoint(TENSOR_METHODS)
            for name in self.methods
        )

    def can_only_be_tensor(self) -> bool:
        """Whether something with a `.to()` or `.cuda()` that is used like this is a tensor."""
        if self.is_structure():
            return False
        certain = self.members & ONLY_TENSOR_ATTRIBUTES or self.methods & ONLY_TENSOR_METHODS
        return bool(certain) or self.passed_to_torch or self.sliced or self.handed_over

    def has_state(self) -> bool:
        """Whether a module is trained, loaded or the like: a mere loss has nothing to train."""
        return bool(self.members & (MODULE_METHODS - {"children", "modules", "apply"}))

    def speak_for_module(self) -> bool:
        """Whether the name must be a module."""
        if self.members & (TENSOR_MEMBERS - {"requires_grad", "type", "size", "long", "dtype"}):
            return False
        return bool(self.members & MODULE_METHODS)


def collect_uses(nodes: list[ast.AST], torch_names: frozenset[str]) -> dict[str, Uses]:
    """Collect how names and their attributes are used in a function or class.

    Args:
        nodes: all of the function or class.
        torch_names: first components of names that mean `torch` or something in it.
    """
    uses: dict[str, Uses] = {}

    def of(node: ast.AST) -> Uses | None:
        path = path_of(node)
        if path is None:
            return None
        known = uses.get(path)
        if known is None and path.count(".") <= 2:
            known = uses[path] = Uses()
        return known

    flows: list[ast.AST] = []
    for node in nodes:
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            continue
        if kind is ast.Attribute:
            if use := of(node.value):  # type: ignore[attr-defined]  # `kind` says that it is an Attribute
                use.members.add(node.attr)  # type: ignore[attr-defined]  # an Attribute
        elif kind is ast.Call:
            _collect_call(node, of, torch_names)  # type: ignore[arg-type]  # a Call
        elif kind in _COLLECTORS:
            _COLLECTORS[kind](node, of)
        if kind in _FLOWS:
            flows.append(node)
    _conclude(flows, uses)
    return uses


_FLOWS = frozenset({ast.For, ast.Call, ast.Assign})
"""The code through which values flow from loops into calls, and into variables."""


def _conclude(flows: list[ast.AST], uses: dict[str, Uses]) -> None:
    """Draw conclusions from how values flow into losses and models.

    What a result with a `.backward()` was computed from is tensors; so is what a loop unpacks
    beside others and hands to a module as it is, or makes a result with an `.item()` of. Not where
    one of these is a structure, such as a graph: then the others may be as well.
    """
    unpacked: set[str] = set()
    for node in flows:
        beside = {path for part in _unpacked(node) if (path := path_of(part))}
        if not any(path in uses and uses[path].is_structure() for path in beside):
            unpacked |= beside
    for node in flows:
        if isinstance(node, ast.Call) and unpacked:
            callee = uses.get(path_of(node.func) or "")
            if callee is not None and callee.speak_for_module():
                _are_tensors(uses, [n for n in node.args if path_of(n) in unpacked])
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            result = uses.get(path_of(node.targets[0]) or "")
            if result is not None and "backward" in result.members:
                _are_tensors(uses, node.value.args)
            elif result is not None and "item" in result.methods:
                _are_tensors(uses, [n for n in node.value.args if path_of(n) in unpacked])


def _unpacked(node: ast.AST) -> list[ast.expr]:
    """What a statement takes out of a batch: `for x, y in …`, `x, y = batch` or `… = next(it)`."""
    if isinstance(node, ast.For):
        return _unpacked_targets(node.target)
    if isinstance(node, ast.Assign) and _is_batch(node.value):
        return _unpacked_targets(node.targets[0])
    return []


def _is_batch(node: ast.expr) -> bool:
    """Whether what is unpacked may be a batch: a variable, or the next one of an iterator."""
    return isinstance(node, ast.Name) or takes_next(node)


def takes_next(node: ast.expr) -> bool:
    """Whether an expression is the next one of an iterator: `next(it)` or `it.__next__()`."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
    return called in NEXT_METHODS


def _are_tensors(uses: dict[str, Uses], arguments: list[ast.expr]) -> None:
    for argument in arguments:
        if use := uses.get(path_of(argument) or ""):
            use.handed_over = True


def _unpacked_targets(target: ast.expr) -> list[ast.expr]:
    """The names in the innermost tuple of a loop target with several names."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return []
    inner = [item for item in target.elts if isinstance(item, (ast.Tuple, ast.List))]
    return inner[0].elts if len(inner) == 1 and isinstance(inner[0], ast.Tuple) else target.elts


_Of: TypeAlias = "Callable[[ast.AST], Uses | None]"


def _collect_computation(node: ast.BinOp, of: _Of) -> None:
    for side in (node.left, node.right):
        if use := of(side):
            use.computed = True
            use.passed_to_torch |= isinstance(node.op, ast.MatMult)


def _collect_subscript(node: ast.Subscript, of: _Of) -> None:
    if use := of(node.value):
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
            use.asked_for_none |= nothing


def _collect_test(node: ast.If | ast.While | ast.IfExp, of: _Of) -> None:
    _is_plain([node.test], of)


def _collect_logic(node: ast.BoolOp | ast.UnaryOp, of: _Of) -> None:
    if isinstance(node, ast.BoolOp):
        _is_plain(node.values, of)
    elif isinstance(node.op, ast.Not):
        _is_plain([node.operand], of)


def _collect_loop(node: ast.For | ast.comprehension, of: _Of) -> None:
    _is_plain([node.iter], of)


def _is_plain(parts: list[ast.expr], of: _Of) -> None:
    for part in parts:
        if use := of(part):
            use.plain = True


_COLLECTORS: dict[type[ast.AST], Callable[[Any, _Of], None]] = {
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
    name = dotted(node.func)
    for argument in node.args:
        if use := of(argument):
            use.plain |= name in _PLAIN_CALLS or _makes_tensor(name)
    if name is None:
        return
    for keyword in node.keywords:
        if keyword.arg is None and (use := of(keyword.value)):
            use.keyed = True
    if _is_operation(name, torch_names):
        for operand in _operands(name.rpartition(".")[2], node.args):
            if use := of(operand):
                use.passed_to_torch = True


def _collect_callee(node: ast.Call, of: _Of) -> None:
    callee = node.func
    if use := of(callee):
        use.called = True
    if isinstance(callee, ast.Attribute) and (use := of(callee.value)):
        use.methods.add(callee.attr)
        if callee.attr in MOVES_TO_DEVICE:
            use.moves.append(node)


def _is_operation(name: str, torch_names: frozenset[str]) -> bool:
    """Whether what goes by this name computes with tensors."""
    root, _, _ = name.partition(".")
    last = name.rpartition(".")[2]
    if root not in torch_names or last.rstrip("_") not in _OPERATIONS:
        return False
    return not any(part in name for part in _NOT_ON_TENSORS)


def _operands(name: str, arguments: list[ast.expr]) -> list[ast.expr]:
    """The arguments of an operation that must be tensors.

    These are the first argument, of a loss the first two, and the parts of the first two if they
    are lists.
    """
    operands = arguments[: 2 if name in operations.LOSS_FUNCTIONS else 1]
    for argument in arguments[:2]:
        if isinstance(argument, (ast.List, ast.Tuple)) and len(argument.elts) > 1:
            operands += argument.elts
    return operands


_NOT_ON_TENSORS = (".optim", "utils", "distributed", "cuda", "init")


def _makes_tensor(name: str | None) -> bool:
    """Whether a call makes a tensor of sizes or data, going by the last component of its name."""
    last = (name or "").rpartition(".")[2]
    return last in FACTORY_NAMES and last not in {"normal", "as_tensor"}
