"""Of which variables code moves elements: `[t.to(device) for t in targets]`, `pair[0].cuda()`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.syntax.names import names_in
from torchdev_lint.syntax.scopes import held_root, root_name
from torchdev_lint.syntax.walking import children

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def moves_of_elements(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Call, str]]:
    """Yield the moves of what is a part or an element of a variable, with that variable.

    Args:
        nodes: what is looked at, each node before its parts.
    """
    seen: set[ast.AST] = set()
    for node in nodes:
        if node not in seen and isinstance(node, (ast.Call, *_COMPREHENSIONS)):
            yield from _moves(node, {}, seen)


def _moves(
    node: ast.AST, taken: Mapping[str, str], seen: set[ast.AST]
) -> Iterator[tuple[ast.Call, str]]:
    """The moves in an expression.

    Args:
        taken: what comprehensions around it go through, by the variables that take its elements.
        seen: the nodes that were looked at.
    """
    seen.add(node)
    if isinstance(node, _COMPREHENSIONS):
        taken = dict(taken)
        for generator in node.generators:
            if source := root_name(generator.iter):
                source = taken.get(source, source)
                taken.update(dict.fromkeys(names_in(generator.target), source))
    elif isinstance(node, ast.Call) and is_move(node):
        assert isinstance(node.func, ast.Attribute)
        root = held_root(node.func.value)
        if root is not None and (root in taken or not isinstance(node.func.value, ast.Name)):
            yield node, taken.get(root, root)
    for part in children(node):
        yield from _moves(part, taken, seen)
