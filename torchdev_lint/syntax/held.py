"""What variables hold that code gives a value once: it may as well stand where they are read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from torchdev_lint.syntax.walking import walk

_ONCE = 2
"""The name that an assignment binds is met by itself as well."""


def held_once(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Return what the variables hold that code gives a value once.

    Args:
        nodes: all of a function, or of a module.
    """
    values: dict[str, list[ast.expr | None]] = {}
    for part in nodes:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            values.setdefault(part.targets[0].id, []).append(part.value)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            values.setdefault(part.id, []).append(None)
        elif isinstance(part, ast.arg):
            values.setdefault(part.arg, []).append(None)
    return {name: a for name, found in values.items() for a in found if a and len(found) == _ONCE}


def meant_by(node: ast.expr, held: Mapping[str, ast.expr]) -> ast.expr:
    """Return the expression that a variable stands for, or that one's, or else the node itself.

    Args:
        held: what variables hold.
    """
    followed = set[str]()
    while isinstance(node, ast.Name) and node.id in held and node.id not in followed:
        followed.add(node.id)
        node = held[node.id]
    return node


def root_held(node: ast.expr, held: Mapping[str, ast.expr]) -> str | None:
    """Return the variable that a chain of methods starts from, some of whose steps others hold.

    Args:
        held: what variables hold.
    """
    *_, last = chain_held(node, held)
    return last.id if isinstance(last, ast.Name) else None


def chain_held(node: ast.expr, held: Mapping[str, ast.expr]) -> Iterator[ast.expr]:
    """Yield the steps of a chain of methods and attributes, the last one first.

    Args:
        held: what variables hold, so that the chain goes on there.
    """
    followed = set[str]()
    while True:
        yield node
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Name) and node.id in held and node.id not in followed:
            followed.add(node.id)
            node = held[node.id]
        else:
            return


def walk_held(node: ast.AST, held: Mapping[str, ast.expr]) -> Iterator[ast.AST]:
    """Yield all nodes of an expression, and of what the variables in it hold.

    Args:
        held: what variables hold.
    """
    pending, followed = [node], set[str]()
    while pending:
        for part in walk(pending.pop()):
            yield part
            if isinstance(part, ast.Name) and part.id in held and part.id not in followed:
                followed.add(part.id)
                pending.append(held[part.id])
