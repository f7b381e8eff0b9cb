"""What a `forward` takes that need not be a tensor: it asks, and makes one of what is none."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.factories import CONVERTERS, TENSOR_CLASSES
from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk

_OF_NUMPY = "ndarray"


def converts_what_is_no_tensor(nodes: Iterable[ast.AST], name: str) -> bool:
    """Return whether code makes a tensor of a variable where that is none, which it asks.

    `if not torch.is_tensor(step): step = torch.tensor([step])` says that callers give both: it is
    the same where the variable was assigned to another one before.

    Args:
        nodes: all nodes of the function.
        name: the variable, a parameter of the function.
    """
    code = list(nodes)
    names = {name}
    for node in code:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            if node.value.id in names:
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return any(
        isinstance(node, (ast.If, ast.IfExp))
        and any(_asks(node.test, each) and _makes_of(_first(node), each) for each in names)
        for node in code
    )


def _first(node: ast.If | ast.IfExp) -> list[ast.AST]:
    """What is done where the condition is true."""
    return list(node.body) if isinstance(node, ast.If) else [node.body]


def _asks(test: ast.expr, name: str) -> bool:
    """Whether a condition is true where a variable is no tensor, or an array."""
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    asked = test.operand if isinstance(test, ast.UnaryOp) and negated else test
    if not (isinstance(asked, ast.Call) and asked.args):
        return False
    subject, function = asked.args[0], last_component(asked.func)
    if function not in TYPE_TESTS or not (isinstance(subject, ast.Name) and subject.id == name):
        return False
    if function == "is_tensor":
        return negated
    kind = last_component(asked.args[-1])
    return kind in TENSOR_CLASSES if negated else kind == _OF_NUMPY


def _makes_of(body: list[ast.AST], name: str) -> bool:
    """Whether code makes a tensor of a variable."""
    return any(
        isinstance(node, ast.Call)
        and last_component(node.func) in CONVERTERS
        and any(
            isinstance(part, ast.Name) and part.id == name
            for argument in node.args
            for part in walk(argument)
        )
        for statement in body
        for node in walk(statement)
    )
