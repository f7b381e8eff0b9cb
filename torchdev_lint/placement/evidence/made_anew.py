"""Which of its arguments a function makes tensors of, under the same names."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.catalog.factories import CONVERTERS
from torchdev_lint.catalog.operations import WRAPPERS
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted

_CONVERTERS = frozenset(name.rpartition(".")[2] for name in CONVERTERS)


@dataclass(frozen=True, slots=True)
class MadeAnew:
    """What a function makes tensors of, on all paths.

    Args:
        names: the variables that hold tensors from there on, whatever they held.
        before: the statements up to the first of those that make one, and that one.
    """

    names: frozenset[str]
    before: tuple[ast.stmt, ...]


def made_anew(body: Sequence[ast.stmt], torch_names: frozenset[str]) -> MadeAnew:
    """Return what statements make tensors of, which are no part of others.

    Args:
        torch_names: first components of names that mean `torch` or something in it.
    """
    names, first = set[str](), len(body)
    for index, statement in enumerate(body):
        if not (isinstance(statement, ast.Assign) and _converts(statement.value, torch_names)):
            continue
        made = {name.id for name in statement.targets if isinstance(name, ast.Name)}
        if made:
            first = min(first, index)
            names |= made
    return MadeAnew(frozenset(names), tuple(body[: first + 1]))


def _converts(node: ast.expr, torch_names: frozenset[str]) -> bool:
    """Whether an expression makes a tensor of data, and perhaps moves, casts or reshapes it."""
    while isinstance(node, ast.Call):
        called = dotted(node.func)
        if called is not None:
            root, _, _ = called.partition(".")
            name = called.rpartition(".")[2]
            if name not in WRAPPERS or not node.args:
                return root in torch_names and name in _CONVERTERS
            node = node.args[0]
            continue
        if not isinstance(node.func, ast.Attribute):
            return False
        node = node.func.value
    return False
