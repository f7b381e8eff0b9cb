"""What methods that build a module keep in its attributes as it is: that doesn't move with it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Set

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk


def left_behind(method: ast.AST) -> Set[ast.AST]:
    """Return the calls of which a method keeps what they give, also behind its variables.

    What an object is built with, by the name of its class, that may register.
    """
    held: dict[str, list[ast.AST]] = defaultdict(list)
    pending: list[ast.AST] = []
    for node in walk(method):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    held[target.id].append(node.value)
                elif isinstance(target, ast.Attribute):
                    pending.append(node.value)
    calls = set[ast.AST]()
    while pending:
        for part in _as_it_is(pending.pop()):
            if isinstance(part, ast.Name):
                pending += held.pop(part.id, [])
            elif isinstance(part, ast.Call):
                calls.add(part)
    return calls


def _as_it_is(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression, but for those of which an object is built."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Call) and last_component(part.func)[:1].isupper():
            continue
        yield part
        pending += ast.iter_child_nodes(part)
