"""Which of its arguments a function makes tensors of, under the same names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from torchdev_lint.catalog.factories import CONVERTERS
from torchdev_lint.catalog.operations import WRAPPERS
from torchdev_lint.syntax.names import dotted

_CONVERTERS = frozenset(name.rpartition(".")[2] for name in CONVERTERS)


def made_anew(
    nodes: Iterable[ast.AST], torch_names: frozenset[str]
) -> Mapping[str, Sequence[ast.stmt]]:
    """Return what comes after a function has made a tensor, or a list of tensors, of something.

    It is given by the variable that holds one from there on, whatever it held: to the end of the
    block, nothing is about what it held.

    Args:
        nodes: all nodes of a function.
        torch_names: first components of names that mean `torch` or something in it.
    """
    after = dict[str, tuple[ast.stmt, ...]]()
    for block in chain.from_iterable(map(_blocks_of, nodes)):
        for index, statement in enumerate(block):
            for name in _made_by(statement, torch_names):
                after[name] = (*after.get(name, ()), *block[index + 1 :])
    return after


def _blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block


def _made_by(statement: ast.stmt, torch_names: frozenset[str]) -> list[str]:
    """The variables that hold what a statement makes tensors of."""
    if not (isinstance(statement, ast.Assign) and _converts(statement.value, torch_names)):
        return []
    return [target.id for target in statement.targets if isinstance(target, ast.Name)]


def _converts(node: ast.expr, torch_names: frozenset[str]) -> bool:
    """Whether an expression makes a tensor of data, and perhaps moves, casts or reshapes it.

    Or a list of such.
    """
    while isinstance(node, (ast.Call, ast.ListComp)):
        if isinstance(node, ast.ListComp):
            node = node.elt
            continue
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
