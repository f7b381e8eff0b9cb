"""What the moves in a function tell of its variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TypeAlias

from torchdev_lint.catalog.factories import FACTORY_NAMES, TENSOR_CLASSES
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.operations import HOST_READS, JOINS
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import COMPREHENSIONS
from torchdev_lint.syntax.walking import walk

_TYPES = TENSOR_CLASSES - {"Tensor"}
_COMPOSED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple, ast.Dict)
"""Expressions that are computed from all of their parts, or hold them."""
_Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp"
_Start: TypeAlias = "tuple[str, frozenset[str]]"
"""A variable that is moved, with those of which the move says nothing."""
_MAX_WAYS = 8
"""From how many moves it is gone on to what a variable is made of; one says all, nearly always."""
_MAX_KEPT = 50
"""Of how many values that an attribute is given it is asked what they are made of."""


def moved_in_parts(nodes: Iterable[ast.AST], torch_names: Set[str]) -> frozenset[str]:
    """Return the variables of which code takes a part, or computes something, and moves that.

    These were not on the accelerator: what code moves there was not there before, nor was what it
    is made of. What is moved to where a variable is itself says nothing of that variable.

    Args:
        nodes: all of a function.
        torch_names: first components of names that mean `torch` or something in it.
    """
    nodes = list(nodes)
    sources: dict[str, set[str]] = {}
    moves: list[ast.Call] = []
    comprehensions: list[_Comprehension] = []
    made = _Made(nodes, torch_names)
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            parts = set(made.of(node.value))
            for target in _targets(node):
                sources.setdefault(target, set()).update(parts)
        elif isinstance(node, ast.Call) and is_move(node):
            moves.append(node)
        elif isinstance(node, COMPREHENSIONS):
            comprehensions.append(node)
        elif isinstance(node, ast.Call) and (filled := _filled(node)) is not None:
            sources.setdefault(filled, set()).update(made.of(node.args[0]))
    reached: dict[str, set[frozenset[str]]] = {}
    starts = {move: list(_starts(move, made, sources)) for move in moves}
    for comprehension in comprehensions:
        _go_through(comprehension, starts, made)
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


def _starts(move: ast.Call, made: _Made, sources: Mapping[str, Set[str]]) -> Iterator[_Start]:
    """The variables that are moved, with those of which the move says nothing.

    They are moved as they are, or joined, or something is that is made of one of them alone, or
    that an operator computes of several: none of these is there, unless it is asked where it is.

    Args:
        sources: what variables are made of.
    """
    assert isinstance(move.func, ast.Attribute)
    but = frozenset(_names_in_arguments(move))
    moved = move.func.value
    if isinstance(moved, ast.Call) and last_component(moved.func) in JOINS and moved.args:
        joined = moved.args[0]
        parts = joined.elts if isinstance(joined, (ast.List, ast.Tuple)) else []
    else:
        made_of = set(made.of(moved))
        if len(made_of) > 1 and len(origin := {_origin(name, sources) for name in made_of}) == 1:
            made_of = origin
        computed = isinstance(moved, ast.BinOp) and made_of.isdisjoint({*but, "self"})
        if len(made_of) == 1 or computed:
            yield from ((name, but) for name in made_of)
        return
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    if len(names) == len(parts):  # what is made for the others, where they are joined, follows them
        yield from ((name, but) for name in names)


def _origin(name: str, sources: Mapping[str, Set[str]]) -> str:
    """The variable of which alone another one is made, over several steps; itself if of more."""
    followed = {name}
    while len(made_of := sources.get(name, frozenset())) == 1:
        name = next(iter(made_of))
        if name in followed:
            break
        followed.add(name)
    return name


def _go_through(
    comprehension: _Comprehension, starts: dict[ast.Call, list[_Start]], made: _Made
) -> None:
    """Have the moves of a comprehension be those of what it goes through.

    Args:
        starts: the variables that each call moves.
    """
    element = _element(comprehension)
    whole = set(made.of(comprehension.generators[0].iter))
    for move in starts.keys() & set(walk(_given_by(comprehension))):
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


class _Made:
    """What a function makes values of.

    Args:
        nodes: all of it.
        torch_names: first components of names that mean `torch` or something in it.
    """

    def __init__(self, nodes: list[ast.AST], torch_names: Set[str]) -> None:
        self._torch_names = torch_names
        self._kept: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                if (name := _own(node.targets[0])) is not None:
                    self._kept.setdefault(name, []).append(node.value)

    def of(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """The variables that operators, subscripts, methods and functions of torch make a value of.

        Or that a list, tuple or dict of it holds. For what the function itself has put into an
        attribute stands what that was made of.

        Args:
            seen: the attributes for which that was asked already.
        """
        pending: list[ast.AST] = [node]
        while pending:
            part = pending.pop()
            own = _own(part) if isinstance(part, ast.Attribute) else None
            if isinstance(part, ast.Name):
                yield part.id
            elif own is not None and own in self._kept:
                pending += self._kept[own][:_MAX_KEPT] if own not in seen else ()
                seen |= {own}
            elif isinstance(part, (ast.Attribute, ast.Subscript)):
                pending.append(part.value)
            elif isinstance(part, ast.IfExp):
                pending += [part.body, part.orelse]
            elif isinstance(part, ast.Call):
                pending += _operands(part, self._torch_names)
            elif isinstance(part, _COMPOSED):
                pending += ast.iter_child_nodes(part)
            elif isinstance(part, COMPREHENSIONS) and (element := _element(part)) is not None:
                inner = set(self.of(_given_by(part), seen))
                yield from inner - {element}
                if element in inner:
                    pending.append(part.generators[0].iter)


def _own(node: ast.Attribute) -> str | None:
    """The name of an attribute of the object at hand."""
    return node.attr if isinstance(node.value, ast.Name) and node.value.id == "self" else None


def _given_by(comprehension: _Comprehension) -> ast.expr:
    """What a comprehension gives for each round; of a dict, the values."""
    if isinstance(comprehension, ast.DictComp):
        return comprehension.value
    return comprehension.elt


def _element(comprehension: _Comprehension) -> str | None:
    """The variable of a comprehension that goes through one thing, or through a dict's values."""
    if len(comprehension.generators) != 1:
        return None
    target, source = comprehension.generators[0].target, comprehension.generators[0].iter
    if isinstance(target, ast.Tuple) and len(target.elts) == 2:
        of_items = isinstance(source, ast.Call) and last_component(source.func) == "items"
        target = target.elts[1] if of_items else target
    return target.id if isinstance(target, ast.Name) else None


def _operands(call: ast.Call, torch_names: Set[str]) -> list[ast.expr]:
    """What a function of torch, or a method, computes with; nothing that is read as a number.

    A type of tensors takes data from the host alone: `torch.LongTensor(rows).to(device)`.
    """
    name = dotted(call.func)
    if name is not None and name.partition(".")[0] in torch_names:
        last = last_component(call.func)
        takes = last not in FACTORY_NAMES or (last in _TYPES and len(call.args) == 1)
        return call.args if takes else []
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
