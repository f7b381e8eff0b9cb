"""What meets what a module computes: it is where that is, or the code would fail there."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import TypeGuard

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.methods import SAME_TENSOR, TENSOR_METHODS, TENSOR_MOVES
from torchdev_lint.catalog.operations import (
    CHECKED,
    ELEMENTWISE,
    HOST_READS,
    JOINS,
    POINTWISE,
    SAME_RANK_CASTS,
    SHAPED,
)
from torchdev_lint.placement.evidence.feeding import is_cast
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.names import dotted, last_component, path_of
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.walking import walk

_MEETING = ELEMENTWISE | CHECKED | JOINS
"""Functions and methods whose operands live in one place, if they have dimensions."""
_OPERATIONS = TENSOR_METHODS - TENSOR_MOVES - HOST_READS
_KEEPING = POINTWISE | SHAPED | SAME_RANK_CASTS
"""Operations of which the result has dimensions if the tensor has."""


class Computed:
    """What a function computes of the results of layers, and what meets that.

    Args:
        nodes: all of the function.
        parts: the attributes that hold modules with parameters.
        layers: those of them that are a library's, which take nothing from anywhere else.
        stateless: those that hold layers without parameters.
        torch_names: first components of names that mean `torch` or something in it.
        parameters: the function's own, which may be anywhere.
    """

    def __init__(
        self,
        nodes: Collection[ast.AST],
        parts: Set[str],
        layers: Set[str],
        stateless: Set[str],
        torch_names: Set[str],
        parameters: Set[str],
    ) -> None:
        self._parts, self._layers, self._stateless = parts, layers, stateless
        self._torch_names = torch_names
        self._kept: dict[str, set[str]] = defaultdict(set)
        self._nodes = nodes
        given: dict[str, list[tuple[bool, set[str]]]] = defaultdict(list)
        self._bound = list(_bindings(nodes))
        for target, value in self._bound:
            name = target.id
            made_of = set() if value is None else set(self._sources(value))
            kept = None if value is None else self._whole(value)
            self._kept[name] |= {""} if kept is None else {kept}
            if name not in made_of:  # else it stays where it was
                given[name].append((value is not None and self._has_placed(value), made_of))
        for name in parameters:
            given[name].append((False, set()))
        self._there = _computed_in_all(given)
        self._steps = {name: of[0][1] for name, of in given.items() if len(of) == 1}
        self._unclear = given.keys() - self._steps.keys()

    def meets(self, given: ast.expr, taker: ast.Call) -> bool:
        """Return whether something is computed of what meets what layers compute, or of that.

        Args:
            taker: what it is given to: what meets it may not be run where that is.
        """
        left_out = _run_apart(self._nodes, taker)
        if self._is_computed(given) or self._is_computed_by_then(given, taker, left_out):
            return True
        wanted = self._reached(self._sources(given))
        return any(
            not wanted.isdisjoint(self._chain(whole))
            for node in self._nodes
            if node not in left_out
            for whole in self._beside(node)
        )

    def _is_computed_by_then(self, given: ast.expr, at: ast.AST, left_out: Set[ast.AST]) -> bool:
        """Whether something is computed of what layers give, or was moved, before other code."""
        pending: list[tuple[ast.expr, ast.AST]] = [(given, at)]
        seen = set[ast.AST]()
        while pending:
            value, before = pending.pop()
            if self._has_placed(value):
                return True
            for name in set(self._sources(value)):
                target, latest = self._latest(name, before)
                if target not in seen | left_out and latest is not None:
                    seen.add(target)
                    pending.append((latest, target))
        return False

    def _latest(self, name: str, before: ast.AST) -> tuple[ast.AST, ast.expr | None]:
        """Where a variable was last given something before other code, and what that is."""
        bound = self._in_order.get(name, [])
        end = bisect_left(bound, position(before), key=_place)
        return bound[end - 1] if end else (before, None)

    @cached_property
    def _in_order(self) -> dict[str, list[tuple[ast.Name, ast.expr | None]]]:
        """What variables are given, in the order of the text."""
        found: dict[str, list[tuple[ast.Name, ast.expr | None]]] = defaultdict(list)
        for target, value in self._bound:
            found[target.id].append((target, value))
        for bound in found.values():
            bound.sort(key=_place)
        return found

    def _reached(self, names: Iterable[str]) -> set[str]:
        """All that variables are computed of, up to those that are given something else as well."""
        return reached_from(set(names) - self._unclear, self._steps) - self._unclear

    def _chain(self, name: str) -> set[str]:
        """A variable, and those that have been there as a whole before they were reshaped."""
        return reached_from({name} - self._unclear, self._whole_steps) - self._unclear

    @cached_property
    def _whole_steps(self) -> dict[str, set[str]]:
        """What variables have been as a whole before they were reshaped, by their names."""
        clear = self._kept.keys() - self._unclear
        return {name: self._kept[name] for name in clear if "" not in self._kept[name]}

    def _beside(self, node: ast.AST) -> Iterator[str]:
        """Yield what meets, with all its dimensions, something that layers compute, or these."""
        if isinstance(node, ast.Call) and _part_called(node) in self._layers:
            yield from (whole for given in node.args if (whole := self._whole(given)) is not None)
        operands = list(_operands(node))
        for operand in operands:
            whole = self._whole(operand)
            if whole is None or self._is_computed(operand):
                continue
            if any(self._is_computed(other) for other in operands if other is not operand):
                yield whole

    def _is_computed(self, node: ast.expr) -> bool:
        """Whether an expression is computed of what layers give, or of what was moved."""
        return self._has_placed(node) or not self._there.isdisjoint(self._sources(node))

    def _has_placed(self, node: ast.expr) -> bool:
        """Whether an expression itself calls a layer, or moves something, to compute with it."""
        return any(map(self._is_placed, self._parts_of(node)))

    def _is_placed(self, node: ast.expr) -> bool:
        """Whether an expression calls a layer, or moves something to where the code says."""
        if not isinstance(node, ast.Call):
            return False
        if _part_called(node) in self._parts:
            return True
        return any(map(_is_own_device, _devices_in(node)))

    def _sources(self, node: ast.expr) -> Iterator[str]:
        """The variables, and parts of some, of which an expression computes a tensor."""
        for part in self._parts_of(node):
            name = _named(part)
            if name is not None:
                yield name

    def _parts_of(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield what an expression is computed of, as far as no operation is known to do that."""
        pending = [node]
        while pending:
            node = pending.pop()
            inner = self._inner(node)
            if inner is None:
                yield node
            else:
                pending += inner

    def _inner(self, node: ast.expr) -> list[ast.expr] | None:
        if _named(node) is not None:
            return None
        if isinstance(node, ast.Attribute) and node.attr in SAME_TENSOR:
            return [node.value]
        if isinstance(node, ast.Subscript):
            is_other = isinstance(node.slice, ast.Constant) and node.slice.value not in {
                0,
                None,
                ...,
            }
            return None if is_other else [node.value]
        if isinstance(node, ast.BinOp):
            return [node.left, node.right]
        if isinstance(node, ast.UnaryOp):
            return [node.operand]
        if isinstance(node, ast.Compare):
            return [node.left, *node.comparators]
        if isinstance(node, ast.Call) and not self._is_placed(node):
            return self._taken(node)
        return None

    def _taken(self, call: ast.Call) -> list[ast.expr] | None:
        """What an operation computes its result of; None for other calls."""
        if _part_called(call) in self._stateless:
            return call.args[:1]
        if is_cast(call) and isinstance(call.func, ast.Attribute):
            return [call.func.value]
        for device in _devices_in(call):
            return [device.value] if _is_read(device) else None
        if _is_of(call, self._torch_names):
            return call.args if call.args and not _says_where(call) else None
        if isinstance(call.func, ast.Attribute):
            return [call.func.value] if call.func.attr.rstrip("_") in _OPERATIONS else None
        return None

    def _whole(self, node: ast.expr) -> str | None:
        """The variable that an expression gives with all its dimensions; None for what is less."""
        while (name := _named(node)) is None:
            inner = _same_axes(node)
            if inner is None:
                return None
            node = inner
        return name


class Computations:
    """What a function computes, by what the attributes hold that it reads: one object's, mostly.

    Args:
        nodes: all of the function.
    """

    def __init__(self, nodes: Collection[ast.AST]) -> None:
        self._nodes = nodes
        self._known: dict[tuple[frozenset[str], ...], Computed] = {}

    def of(self, *known: frozenset[str]) -> Computed:
        """Return what it computes, with all that `Computed` is told beside the nodes."""
        if known not in self._known:
            self._known[known] = Computed(self._nodes, *known)
        return self._known[known]


def _place(bound: tuple[ast.Name, ast.expr | None]) -> tuple[int, int]:
    return position(bound[0])


def _same_axes(node: ast.expr) -> ast.expr | None:
    """What an expression takes no axis away from, in which what is given has any; else None."""
    if isinstance(node, ast.UnaryOp):
        return node.operand
    if isinstance(node, ast.Attribute):
        return node.value if node.attr in SAME_TENSOR else None
    if isinstance(node, ast.Subscript):
        return node.value if _keeps_axes(node.slice) else None
    if isinstance(node, ast.BinOp):
        numbers = [part for part in (node.left, node.right) if isinstance(part, ast.Constant)]
        return (node.right if node.left in numbers else node.left) if numbers else None
    if isinstance(node, ast.Compare):
        return node.left if isinstance(node.comparators[0], ast.Constant) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr in _KEEPING or is_cast(node) else None
    return None


def _part_called(call: ast.Call) -> str:
    """The attribute of the object at hand that a call calls, empty if it is none."""
    return (path_of(call.func) or "").partition("self.")[2]


def _named(node: ast.expr) -> str | None:
    """What a variable, or a part of one that has a name, is called."""
    if isinstance(node, ast.Subscript):
        is_field = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        return path_of(node) if is_field else None
    if isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and node.attr not in SAME_TENSOR
    ):
        return path_of(node)
    return None


def _devices_in(call: ast.Call) -> Iterator[ast.expr]:
    """The devices that a call names, to which it moves something, or where it makes it."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in TENSOR_MOVES:
        yield from call.args[:1]
        if call.func.attr == "cuda" and not call.args:
            yield ast.Constant("cuda")
    yield from (keyword.value for keyword in call.keywords if keyword.arg in DEVICE_NAMES)


def _is_read(device: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether a device is that of something."""
    return isinstance(device, ast.Attribute) and device.attr in DEVICE_NAMES


def _is_own_device(node: ast.expr) -> bool:
    """Whether an expression is a device that the object has, or names CUDA."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.startswith("cuda")
    path = path_of(node) or ""
    return path.startswith("self.") and last_component(node) in DEVICE_NAMES


def _keeps_axes(index: ast.expr) -> bool:
    """Whether an index takes no axis away: slices, and new axes."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        part.value in {None, ...} if isinstance(part, ast.Constant) else isinstance(part, ast.Slice)
        for part in parts
    )


def _operands(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of what wants them in one place; none of another node."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        yield from (node.target, node.value)
    elif isinstance(node, ast.Compare) and not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        yield node.left
        yield from node.comparators[:1]
    elif isinstance(node, ast.Call) and last_component(node.func).rstrip("_") in _MEETING:
        is_function = dotted(node.func) in {"torch." + last_component(node.func)}
        if isinstance(node.func, ast.Attribute) and not is_function:
            yield node.func.value
        for given in node.args:
            yield from given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]


def _computed_in_all(given: Mapping[str, list[tuple[bool, set[str]]]]) -> set[str]:
    """The variables that are given nothing but what layers compute, or what is computed of that.

    Args:
        given: what each is given: whether layers compute it, and of which variables it is computed.
    """
    found = set[str]()
    while new := {
        name
        for name, values in given.items()
        if name not in found
        and all(is_placed or not found.isdisjoint(of) for is_placed, of in values)
    }:
        found |= new
    return found


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Name, ast.expr | None]]:
    """Yield what variables are given; None where that is not all of a value, or can't be told.

    Of what several variables get that a call gives, only the first one is told of.
    """
    bound = dict[ast.AST, ast.expr]()
    stored: list[ast.Name] = []
    for node in nodes:
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Call):
                target = target.elts[0]
            bound[target] = node.value
        elif isinstance(node, ast.AugAssign):
            bound[node.target] = node.target  # it stays where it was
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.append(node)
    yield from ((target, bound.get(target)) for target in stored)


def _is_of(call: ast.Call, libraries: Set[str]) -> bool:
    name = dotted(call.func)
    return name is not None and name.partition(".")[0] in libraries


def _says_where(call: ast.Call) -> bool:
    return any(keyword.arg in DEVICE_NAMES for keyword in call.keywords)


def _run_apart(nodes: Iterable[ast.AST], taker: ast.AST) -> set[ast.AST]:
    """What stands in branches beside that of a node, which may not be run where that is.

    Something that may be left out is there where it is used.
    """
    found = set[ast.AST]()
    for node in nodes:
        if not isinstance(node, (ast.If, ast.IfExp)):
            continue
        branches = [set(_all_in(branch)) for branch in (node.body, node.orelse)]
        is_one = any(taker in branch for branch in branches)
        if is_one or not _asks_for_none(node.test):
            found.update(*(branch for branch in branches if taker not in branch))
    return found


def _all_in(branch: list[ast.stmt] | ast.expr) -> Iterator[ast.AST]:
    for part in branch if isinstance(branch, list) else [branch]:
        yield from walk(part)


def _asks_for_none(test: ast.expr) -> bool:
    """Whether a condition only asks whether things are there."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return all(
        isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.Is, ast.IsNot))
        for part in parts
    )
