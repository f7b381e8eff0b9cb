"""What the moves in a function tell of its variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import TypeAlias

from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.operations import HOST_READS, JOINS
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.walking import walk

_COMPOSED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple, ast.Dict)
"""Expressions that are computed from all of their parts, or hold them."""
_Start: TypeAlias = "tuple[str, frozenset[str]]"
"""A variable that is moved, with those of which the move says nothing."""
_MAX_WAYS = 8
"""From how many moves it is gone on to what a variable is made of; one says all, nearly always."""


def moved_in_parts(nodes: Iterable[ast.AST], torch_names: Set[str]) -> frozenset[str]:
    """Return the variables of which code takes a part, or computes something, and moves that.

    These were not on the accelerator: what code moves there was not there before, nor was what it
    is made of. What is moved to where a variable is itself says nothing of that variable.

    Args:
        nodes: all of a function.
        torch_names: first components of names that mean `torch` or something in it.
    """
    sources: dict[str, set[str]] = {}
    moves: list[ast.Call] = []
    comprehensions: list[ast.ListComp] = []
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            parts = set(_made_of(node.value, torch_names))
            for target in _targets(node):
                sources.setdefault(target, set()).update(parts)
        elif isinstance(node, ast.Call) and is_move(node):
            moves.append(node)
        elif isinstance(node, ast.ListComp):
            comprehensions.append(node)
        elif isinstance(node, ast.Call) and (filled := _filled(node)) is not None:
            made_of = _made_of(node.args[0], torch_names)
            sources.setdefault(filled, set()).update(made_of)
    reached: dict[str, set[frozenset[str]]] = {}
    starts = {move: list(_starts(move, torch_names)) for move in moves}
    for comprehension in comprehensions:
        _go_through(comprehension, starts, torch_names)
    pending = [start for started in starts.values() for start in started]
    while pending:
        name, but = pending.pop()
        known = reached.setdefault(name, set())
        if but not in known and len(known) < _MAX_WAYS:
            known.add(but)
            pending += [(source, but) for source in sources.get(name, ())]
    return frozenset(n for n, ways in reached.items() if any(n not in but for but in ways))


def _targets(node: ast.Assign | ast.AugAssign) -> Iterator[str]:
    """The variables that are given a value, or that get the parts of a variable's, each one."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Name):
        yield from (part.id for part in target.elts if isinstance(part, ast.Name))


def _starts(move: ast.Call, torch_names: Set[str]) -> Iterator[_Start]:
    """The variables that are moved, with those of which the move says nothing.

    They are moved as they are, or joined, or something is that is made of one of them alone, or
    that an operator computes of several: none of these is there, unless it is asked where it is.
    """
    assert isinstance(move.func, ast.Attribute)
    but = frozenset(_names_in_arguments(move))
    moved = move.func.value
    if isinstance(moved, ast.Call) and last_component(moved.func) in JOINS and moved.args:
        joined = moved.args[0]
        parts = joined.elts if isinstance(joined, (ast.List, ast.Tuple)) else []
    else:
        made_of = set(_made_of(moved, torch_names))
        computed = isinstance(moved, ast.BinOp) and made_of.isdisjoint({*but, "self"})
        if len(made_of) == 1 or computed:
            yield from ((name, but) for name in made_of)
        return
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if len(names) == len(parts):  # what is made for the others, where they are joined, follows them
        yield from ((name, but) for name in names)


def _go_through(
    comprehension: ast.ListComp, starts: dict[ast.Call, list[_Start]], torch_names: Set[str]
) -> None:
    """Have the moves of a comprehension be those of what it goes through.

    Args:
        starts: the variables that each call moves.
    """
    element = _element(comprehension)
    whole = set(_made_of(comprehension.generators[0].iter, torch_names))
    for move in starts.keys() & set(walk(comprehension.elt)):
        starts[move] = [
            (name, but)
            for moved, but in starts[move]
            for name in (whole if moved == element else {moved})
        ]


def _filled(call: ast.Call) -> str | None:
    """The list that a call adds something to."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in {"append", "extend"}:
        return None
    return func.value.id if isinstance(func.value, ast.Name) and len(call.args) == 1 else None


def _made_of(node: ast.expr, torch_names: Set[str]) -> Iterator[str]:
    """The variables that operators, subscripts, methods and functions of torch make a value of.

    Or that a list, tuple or dict of it holds.
    """
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, (ast.Attribute, ast.Subscript)):
            pending.append(part.value)
        elif isinstance(part, ast.IfExp):
            pending += [part.body, part.orelse]
        elif isinstance(part, ast.Call):
            pending += _operands(part, torch_names)
        elif isinstance(part, _COMPOSED):
            pending += ast.iter_child_nodes(part)
        elif isinstance(part, ast.ListComp) and (element := _element(part)) is not None:
            inner = set(_made_of(part.elt, torch_names))
            yield from inner - {element}
            if element in inner:
                pending.append(part.generators[0].iter)


def _element(comprehension: ast.ListComp) -> str | None:
    """The variable of a comprehension that goes through one thing."""
    target = comprehension.generators[0].target
    is_one = len(comprehension.generators) == 1 and isinstance(target, ast.Name)
    return target.id if is_one and isinstance(target, ast.Name) else None


def _operands(call: ast.Call, torch_names: Set[str]) -> list[ast.expr]:
    """What a function of torch, or a method, computes with; nothing that is read as a number."""
    name = dotted(call.func)
    if name is not None and name.partition(".")[0] in torch_names:
        return [] if last_component(call.func) in FACTORY_NAMES else call.args
    if isinstance(call.func, ast.Attribute) and call.func.attr not in HOST_READS:
        return [call.func.value]
    return []


def _names_in_arguments(call: ast.Call) -> Iterator[str]:
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from (part.id for part in walk(given) if isinstance(part, ast.Name))


def only_moved(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables that calls give values to, and that nothing reads but moves.

    Args:
        nodes: all of a function.
    """
    accounted: set[ast.AST] = set()
    made: set[str] = set()
    named: list[ast.Name] = []
    for node in nodes:
        if isinstance(node, ast.Name):
            named.append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made.update(target.id for target in node.targets if isinstance(target, ast.Name))
            accounted.update(node.targets)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in MOVES:
                accounted.add(node.func.value)
    return frozenset(made - {node.id for node in named if node not in accounted})
