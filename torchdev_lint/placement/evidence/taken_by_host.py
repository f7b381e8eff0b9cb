"""What the libraries of the host are handed: it is on the host, or the code would fail there."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Set

from torchdev_lint.catalog.ecosystem import SHAPE_READERS
from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.catalog.methods import (
    HOST_ONLY_METHODS,
    SAME_TENSOR,
    TENSOR_METHODS,
    TENSOR_MOVES,
)
from torchdev_lint.catalog.operations import HOST_READS
from torchdev_lint.placement.evidence.feeding import is_cast
from torchdev_lint.syntax.names import dotted, last_component, path_of
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import root_name

_COMPOSED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple)
"""Expressions that are computed from all of their parts, or hold them."""

_OPERATIONS = TENSOR_METHODS - TENSOR_MOVES - HOST_READS
"""Methods whose result lives where the tensor does."""


def taken_by_host(
    nodes: Collection[ast.AST], host_names: Set[str], torch_names: Set[str]
) -> frozenset[str]:
    """Return the variables that NumPy and what is built on it take, and those that is made of.

    These are on the host: from an accelerator such libraries take no tensor. Variables that are
    given something else as well, such as what a move gives, are left out.

    Args:
        nodes: all of a function.
        host_names: first components of names that mean such a library or something in it.
        torch_names: those of names that mean `torch` or something in it.
    """
    calls, updates, stored = _collected(nodes)
    apart = list(_taken_apart(nodes))
    for parts, _ in apart:  # they are where they were, each on its own
        for part in parts:
            stored.pop(part, None)
    steps, others = _sources(stored, torch_names, host_names)
    for name, value in _updated(updates):
        steps.setdefault(name, set()).update(set(_computed_from(value, torch_names)) - others)
    takers = host_names | {
        target.id
        for target, value in stored.items()
        if isinstance(value, ast.Call) and root_name(value) in host_names
    }
    taken, tensors = set[str](), _declared_tensors(nodes)
    for call in calls:
        for given in _taken(call, takers):
            taken.update(set(_computed_from(given, torch_names, tensors)) - others)
    taken = reached_from(taken, steps)
    wholes = (whole for parts, whole in apart if taken.issuperset(part.id for part in parts))
    return frozenset(taken.union(wholes))


def _declared_tensors(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The parameters that are tensors by their annotations: their parts are where they are."""
    return frozenset(
        node.arg
        for node in nodes
        if isinstance(node, ast.arg)
        and node.annotation is not None
        and last_component(node.annotation) in TENSOR_CLASSES
    )


def _taken_apart(nodes: Iterable[ast.AST]) -> Iterator[tuple[list[ast.Name], str]]:
    """Yield the variables that get all parts of what a variable holds, and that one."""
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            target = node.targets[0]
            if isinstance(target, ast.Tuple):
                parts = [part for part in target.elts if isinstance(part, ast.Name)]
                if len(parts) == len(target.elts):
                    yield parts, node.value.id


def computed_of_fed(
    nodes: Iterable[ast.AST],
    given: ast.expr,
    taker: ast.Call,
    parts: Set[str],
    torch_names: Set[str],
) -> bool:
    """Return whether something is computed of what a method feeds to layers of its own object.

    Then it lives where these do, whoever calls the method: else they would fail.

    Args:
        nodes: all of the method.
        given: the expression of what is computed.
        taker: the call that it is given to, whose result may be fed to layers as well.
        parts: the attributes that hold the layers.
        torch_names: first components of names that mean `torch` or something in it.
    """
    calls, _, stored = _collected(nodes)
    others = {target: value for target, value in stored.items() if value is not taker}
    steps, _ = _sources(others, torch_names)
    fed = [
        argument
        for call in calls
        if (path_of(call.func) or "").partition("self.")[2] in parts
        for argument in call.args
        if argument is not taker
    ]

    def sources(made: Iterable[ast.expr]) -> set[str]:
        names = {name for node in made for name in _computed_from(node, torch_names)}
        return reached_from(names, steps)

    return not sources(fed).isdisjoint(sources([given]))


def _collected(
    nodes: Iterable[ast.AST],
) -> tuple[list[ast.Call], list[ast.AugAssign], dict[ast.Name, ast.expr | None]]:
    """Return the calls, the updates in place, and what is assigned to names."""
    calls: list[ast.Call] = []
    updates: list[ast.AugAssign] = []
    stored: dict[ast.Name, ast.expr | None] = {}
    for node in nodes:
        if isinstance(node, ast.Call):
            calls.append(node)
        elif isinstance(node, ast.AugAssign):
            updates.append(node)
        elif isinstance(node, ast.Assign):
            stored.update(dict.fromkeys(_computed_at(node), node.value))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.setdefault(node, None)
    for update in updates:  # it stays where it was
        if isinstance(update.target, ast.Name):
            stored.pop(update.target, None)
    return calls, updates, stored


def _computed_at(node: ast.Assign) -> list[ast.Name]:
    """The variables that an assignment gives its value, or one of several that a call gives."""
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Call):
        return [part for part in target.elts if isinstance(part, ast.Name)]
    return [target] if isinstance(target, ast.Name) else []


def _sources(
    stored: Mapping[ast.Name, ast.expr | None],
    torch_names: Set[str],
    host_names: Set[str] = frozenset(),
) -> tuple[dict[str, set[str]], set[str]]:
    """Return what variables are computed from, and those that are given something else as well.

    What a library of the host gives is on the host, as what it takes is.

    Args:
        stored: what is assigned to names, None where that is not all of a value.
    """
    sources: dict[str, set[str]] = {}
    others: set[str] = set()
    for target, value in stored.items():
        made_of = set(_computed_from(value, torch_names)) if value is not None else set()
        sources.setdefault(target.id, set()).update(made_of)
        if not (made_of or _is_call_of(value, torch_names | host_names)):
            others.add(target.id)
    return {name: made_of - others for name, made_of in sources.items()}, others


def _updated(updates: Iterable[ast.AugAssign]) -> Iterator[tuple[str, ast.expr]]:
    """Yield what is computed with parts of variables in place: it lives where these do."""
    for update in updates:
        name = root_name(update.target) if isinstance(update.target, ast.Subscript) else None
        if name is not None:
            yield name, update.value


def _taken(call: ast.Call, takers: Set[str]) -> Iterator[ast.expr]:
    """What a call takes that has to be on the host.

    Args:
        takers: first components of names of what takes tensors from the host only.
    """
    if isinstance(call.func, ast.Attribute) and call.func.attr in HOST_ONLY_METHODS:
        yield call.func.value
    elif root_name(call.func) in takers and last_component(call.func) not in SHAPE_READERS:
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)


def _computed_from(
    node: ast.expr, torch_names: Set[str], tensors: Set[str] = frozenset()
) -> Iterator[str]:
    """The variables of which operators and tensor operations make a tensor.

    Args:
        tensors: those that are tensors for certain, and no structures.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and node.attr in SAME_TENSOR:
            pending.append(node.value)
        elif isinstance(node, ast.Subscript):
            # What is looked up by a constant may be a part of a structure, and live elsewhere.
            is_part = isinstance(node.slice, ast.Constant) and root_name(node.value) not in tensors
            pending += [] if is_part else [node.value]
        elif isinstance(node, ast.Call):
            pending += _operands(node, torch_names)
        elif isinstance(node, _COMPOSED):
            pending += (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def _operands(call: ast.Call, torch_names: Set[str]) -> list[ast.expr]:
    """The tensors that an operation works on: what a function gets, or what has the method."""
    if _is_call_of(call, torch_names):
        return call.args
    if isinstance(call.func, ast.Attribute):
        if call.func.attr.rstrip("_") in _OPERATIONS or is_cast(call):
            return [call.func.value]
    return []


def _is_call_of(node: ast.expr | None, libraries: Set[str]) -> bool:
    """Whether an expression calls a function of some libraries, by its first component."""
    if not isinstance(node, ast.Call):
        return False
    name = dotted(node.func)
    return name is not None and name.partition(".")[0] in libraries
