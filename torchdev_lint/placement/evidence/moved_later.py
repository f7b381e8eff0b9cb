"""What the moves in a function tell of its variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk


def moved_in_parts(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables of which code takes a part, or computes something, and moves that.

    These were not on the accelerator: what code moves there was not there before, nor was what it
    is made of. What is moved to where a variable is itself says nothing of that variable.

    Args:
        nodes: all of a function.
    """
    sources: dict[str, set[str]] = {}
    moves: list[ast.Call] = []
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            sources.setdefault(node.targets[0].id, set()).update(_made_of(node.value))
        elif isinstance(node, ast.Call) and is_move(node):
            moves.append(node)
    found: set[str] = set()
    for move in moves:
        assert isinstance(move.func, ast.Attribute)
        if isinstance(move.func.value, ast.Name):
            name = move.func.value.id
            found |= reached_from(name, sources) - {name} - set(_names_in_arguments(move))
    return frozenset(found)


def _made_of(node: ast.expr) -> Iterator[str]:
    """The variables that operators, subscripts and methods make a value of."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp):
            pending += [node.left, node.right]
        elif isinstance(node, ast.Compare):
            pending += [node.left, *node.comparators]
        elif not isinstance(node, ast.Call) or isinstance(node.func, ast.Attribute):
            name = root_name(node)
            if name is not None:
                yield name


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
