"""Which part of a scope sees a variable hold what it holds at one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.walking import walk


def nodes_that_see(scope: ast.AST, name: str, place: ast.AST) -> list[ast.AST]:
    """Return the nodes of a scope, without those that see a variable hold something else.

    What is assigned in a block is what the rest of that block sees, and what a loop takes is what
    its body sees. Where the place is in there as well, it may be the same thing.

    Args:
        name: the variable.
        place: where it is asked for.
    """
    around = _path_to(scope, place)
    seen: list[ast.AST] = []
    pending: list[ast.AST] = [scope]
    while pending:
        node = pending.pop()
        seen.append(node)
        for field, value in ast.iter_fields(node):
            if not isinstance(value, list):
                pending += [value] if isinstance(value, ast.AST) else []
            elif field != "body" or node in around or not _takes(node, name):
                pending += _up_to_another(value, name, around)
    return seen


def _path_to(scope: ast.AST, place: ast.AST) -> set[ast.AST]:
    """A node and all that it is in."""
    parents = {child: node for node in walk(scope) for child in ast.iter_child_nodes(node)}
    path = {place}
    while place in parents:
        place = parents[place]
        path.add(place)
    return path


def _up_to_another(
    block: list[ast.AST | str | None], name: str, around: set[ast.AST]
) -> Iterator[ast.AST]:
    """The nodes of a list, of statements up to one that binds the variable to something else.

    Args:
        block: the list; that of a `global` statement holds names.
    """
    last = max((number for number, node in enumerate(block) if node in around), default=-1)
    for number, node in enumerate(block):
        if not isinstance(node, ast.AST):
            continue
        yield node
        if number > last and _binds(node, name):
            return


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a statement assigns a variable something that isn't made of what it holds."""
    if not isinstance(node, ast.Assign) or _mentions(node.value, name):
        return False
    return any(_mentions(target, name, ast.Store) for target in node.targets)


def _takes(node: ast.AST, name: str) -> bool:
    return isinstance(node, (ast.For, ast.AsyncFor)) and _mentions(node.target, name, ast.Store)


def _mentions(node: ast.AST, name: str, context: type[ast.expr_context] = ast.Load) -> bool:
    names = (part for part in walk(node) if isinstance(part, ast.Name) and part.id == name)
    return any(isinstance(part.ctx, context) for part in names)
