"""Parameters that a function asks for their value before it decides what to do with them.

A default that is there to be recognized, `torch.zeros(1)` where nothing is given, takes the branch
that doesn't use it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.devices import TELLS_PLACE
from torchdev_lint.syntax.names import last_component

_CONDITIONAL = (ast.If, ast.IfExp, ast.While)


def asked_values(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The variables on whose values conditions depend: not on whether they are given at all.

    Args:
        nodes: those of a function.
    """
    tests = (node.test for node in nodes if isinstance(node, _CONDITIONAL))
    return frozenset(name for test in tests for name in _asked_by(test))


def _asked_by(test: ast.expr) -> Iterator[str]:
    pending: list[ast.AST] = [test]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif not _is_about_kind_or_place(node):
            pending += ast.iter_child_nodes(node)


def _is_about_kind_or_place(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.Call):
        return last_component(node.func) == "isinstance"
    return isinstance(node, ast.Attribute) and node.attr in TELLS_PLACE
