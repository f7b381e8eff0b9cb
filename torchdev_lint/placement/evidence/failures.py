"""Code that wants to fail, or is prepared to: what happens there is no defect."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Set
from typing import TypeGuard

from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.syntax.held import held_once, walk_held
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

_EXPECTING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "expectedFailure", "xfail"})
"""What says, in pytest and unittest, that code has to fail."""
_ANY = frozenset({"Exception", "BaseException"})
MEETING = _ANY | {"RuntimeError"}
"""What a meeting of two places raises, and the classes above."""
CONVERSION = _ANY | {"TypeError"}
"""What raises where a tensor on an accelerator is to become an array, and the classes above."""
NO_SUCH_METHOD = _ANY | {"AttributeError"}
"""What raises where something is asked for a method that it hasn't, and the classes above."""
_ENDINGS = frozenset(
    {"sys.exit", "exit", "quit", "os._exit", "pytest.skip", "pytest.fail", "pytest.xfail",
     "pytest.exit", "self.skipTest", "self.fail"}
)  # fmt: skip
"""Calls that never return."""


def never_returns(node: ast.AST) -> bool:
    """Whether an expression is a call that ends the program or the test."""
    return isinstance(node, ast.Call) and dotted(node.func) in _ENDINGS


def expects_failure(node: ast.expr) -> bool:
    """Whether a context manager is there for a body that fails, such as `pytest.raises`."""
    return isinstance(node, ast.Call) and _last(node.func) in _EXPECTING


def calls_to_fail(node: ast.Call) -> bool:
    """Whether a call makes another one that has to fail: `raises(RuntimeError, model, x)`.

    With the exception alone it is a context manager.
    """
    return len(node.args) > 1 and expects_failure(node)


def suppresses(node: ast.expr) -> bool:
    """Whether a context manager swallows what a meeting raises."""
    return may_suppress(node) and any(_takes(argument, MEETING) for argument in node.args)


def may_suppress(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether a context manager swallows some errors, as its name says."""
    return isinstance(node, ast.Call) and _last(node.func) == "suppress"


def survives(node: ast.Try, errors: Set[str] = MEETING) -> bool:
    """Whether the body of a `try` may fail: a handler takes one of some errors, and goes on.

    One that raises again, perhaps only what it didn't wait for, doesn't take it.
    """
    return any(
        (handler.type is None or _takes(handler.type, errors)) and not _gives_up(handler)
        for handler in node.handlers
    )


def tries_to_move(node: ast.Try, gives_moved: Callable[[ast.Name], bool]) -> bool:
    """Whether a `try` moves something to an accelerator: its handlers run where there is none.

    What its loops and branches do may fail for many reasons.

    Args:
        gives_moved: whether a function gives back what it moves.
    """
    simple = (statement for statement in node.body if not hasattr(statement, "body"))
    parts = [part for statement in simple for part in walk(statement)]
    called = (part.func for part in parts if isinstance(part, ast.Call))
    return any(map(_is_move, parts)) or any(
        isinstance(function, ast.Name) and gives_moved(function) for function in called
    )


def gives_what_it_moves(nodes: Iterable[ast.AST]) -> bool:
    """Whether a function returns what it moves to an accelerator, as its text says.

    Args:
        nodes: those of the function.
    """
    nodes = list(nodes)
    held = held_once(nodes)
    returned = (node.value for node in nodes if isinstance(node, ast.Return))
    return any(any(map(_is_move, walk_held(value, held))) for value in returned if value)


def _is_move(part: ast.AST) -> bool:
    return isinstance(part, ast.Attribute) and part.attr in MOVES_TO_DEVICE


def is_tried(around: Iterable[ast.AST], node: ast.AST, errors: Set[str]) -> bool:
    """Whether a handler around a piece of code takes one of some errors, and the program goes on.

    Args:
        around: what the code is in, from the inside out.
        node: the code.
    """
    child = node
    for part in around:
        if isinstance(part, ast.Try) and child in part.body and survives(part, errors):
            return True
        child = part
    return False


def is_put_aside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a test is marked as one that has to fail, or is never run.

    One that is left out under a condition (`skipif`) may well be run where an accelerator is.
    """
    return any(
        _last(part.func if isinstance(part, ast.Call) else part) in _EXPECTING | {"skip"}
        for part in node.decorator_list
    )


def _takes(node: ast.expr, errors: Set[str]) -> bool:
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(_last(kind) in errors for kind in kinds)


def _gives_up(handler: ast.ExceptHandler) -> bool:
    parts = (part for statement in handler.body for part in walk(statement))
    return any(isinstance(part, ast.Raise) or never_returns(part) for part in parts)


def _last(node: ast.expr) -> str:
    return (dotted(node) or "").rpartition(".")[2]
