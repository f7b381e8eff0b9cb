"""Whether code is run only where there are no tensors among what it was given."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.syntax.decided import on_the_way, parts_told
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax


def is_without_tensors(syntax: Syntax, node: ast.AST) -> bool:
    """Return whether a condition around a place says that a list of all tensors is empty.

    As in `found = [x for x in given if isinstance(x, torch.Tensor)]`, `if len(found) == 0:`.

    Args:
        syntax: the file's tree.
        node: the place.
    """
    for test, holds in on_the_way(syntax, node):
        for part, outcome in parts_told(test, holds):
            name = _empty_where(part, outcome)
            if name and _lists_tensors(syntax, node, name):
                return True
    return False


def _empty_where(test: ast.expr, holds: bool) -> str:
    """The variable that has no elements where a condition turned out one way; empty: none."""
    if isinstance(test, ast.Name):
        return "" if holds else test.id
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value == 0
        equal = isinstance(test.ops[0], ast.Eq)
        told = equal is holds if isinstance(test.ops[0], (ast.Eq, ast.NotEq)) else False
        told |= isinstance(test.ops[0], ast.Gt) and not holds
        return _counted(test.left) if is_none and told else ""
    return "" if holds else _counted(test)


def _counted(node: ast.expr) -> str:
    """The variable whose elements are counted: `len(found)`."""
    if isinstance(node, ast.Call) and last_component(node.func) == "len" and node.args:
        return node.args[0].id if isinstance(node.args[0], ast.Name) else ""
    return ""


def _lists_tensors(syntax: Syntax, node: ast.AST, name: str) -> bool:
    """Whether a function gives a variable the tensors among others, and nothing else."""
    given = syntax.derived(Given).of(syntax.scope(node)).get(name, [])
    return bool(given) and all(map(_picks_tensors, given))


def _picks_tensors(value: ast.expr) -> bool:
    if not isinstance(value, (ast.ListComp, ast.GeneratorExp)) or len(value.generators) != 1:
        return False
    return any(map(_asks_for_tensor, value.generators[0].ifs))


def _asks_for_tensor(test: ast.expr) -> bool:
    if not isinstance(test, ast.Call) or last_component(test.func) not in TYPE_TESTS:
        return False
    asked = test.args[1] if len(test.args) > 1 else None
    return asked is None or last_component(asked) in TENSOR_CLASSES
