"""What a `forward` takes that need not be a tensor: it asks, and makes one of what is none."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.factories import CONVERTERS, TENSOR_CLASSES
from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.walking import walk

_OF_NUMPY = "ndarray"


def converted_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables of which code makes a tensor where they are none, which it asks.

    `if not torch.is_tensor(step): step = torch.tensor([step])` says that callers give both; so it
    does of a variable that was assigned to `step` before.

    Args:
        nodes: all nodes of a function.
    """
    sources, pending = defaultdict[str, list[str]](list), list[str]()
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    sources[target.id].append(node.value.id)
        elif isinstance(node, (ast.If, ast.IfExp)):
            asked = _asked(node.test)
            if asked and asked in _converted(node):
                pending.append(asked)
    found = set[str]()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += sources.get(name, ())
    return frozenset(found)


def handed_to_own(nodes: Iterable[ast.AST]) -> dict[str, list[ast.Call]]:
    """Return the calls of an object's own methods, by the variables that are handed to them.

    Args:
        nodes: all nodes of one of its methods.
    """
    calls = defaultdict[str, list[ast.Call]](list)
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if path_of(node.func.value) == "self":
                for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                    if isinstance(given, ast.Name):
                        calls[given.id].append(node)
    return calls


def _asked(test: ast.expr) -> str:
    """The variable that is no tensor, or an array, where a condition is true; empty for none."""
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = test.operand if isinstance(test, ast.UnaryOp) and negated else test
    if not (isinstance(asked, ast.Call) and asked.args and isinstance(asked.args[0], ast.Name)):
        return ""
    function = last_component(asked.func)
    if function == "is_tensor":
        return asked.args[0].id if negated else ""
    kind = last_component(asked.args[-1])
    is_told = kind in TENSOR_CLASSES if negated else kind == _OF_NUMPY
    return asked.args[0].id if function in TYPE_TESTS and is_told else ""


def _converted(node: ast.If | ast.IfExp) -> Iterator[str]:
    """Yield the variables of which tensors are made where a condition is true."""
    for statement in node.body if isinstance(node, ast.If) else [node.body]:
        for call in walk(statement):
            if isinstance(call, ast.Call) and last_component(call.func) in CONVERTERS:
                for argument in call.args:
                    yield from (part.id for part in walk(argument) if isinstance(part, ast.Name))
