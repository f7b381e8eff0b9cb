"""Loops that train, and what they do in each of their steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from torchdev_lint.catalog.training import (
    BACKWARD,
    CLEARS_GRADIENTS,
    COUNTING,
    STEP,
    SYNCHRONIZE,
)
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import COMPREHENSIONS, FUNCTIONS, LOOPS, Syntax
from torchdev_lint.syntax.walking import children, walk

Loop: TypeAlias = "ast.For | ast.AsyncFor | ast.While"

_ENDS = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
"""What is run some other time than the code around it."""


def training_loop(syntax: Syntax, node: ast.AST) -> Loop | None:
    """Return the loop over batches that trains, and evaluates a node in each of its steps.

    What stands under a condition, or behind a `continue`, is not evaluated in each; what is in a
    further loop within a step is. Of loops that wait for the accelerator on purpose there is none.
    """
    child = node
    for part in syntax.around(node):
        if isinstance(part, _ENDS):
            return None
        if isinstance(part, LOOPS) and child in part.body:
            own = list(_own(part))
            if _skips_some(own, node) or _waits_anyway(own):
                return None
            if _trains(own) and _goes_through_batches(part, own):
                return part
        elif _may_pass_by(part, child):
            return None
        child = part
    return None


def _may_pass_by(part: ast.AST, child: ast.AST) -> bool:
    """Whether something may be run without a part of it."""
    if isinstance(part, (ast.If, ast.IfExp)):
        return child is not part.test
    if isinstance(part, ast.BoolOp):
        return child is not part.values[0]
    if isinstance(part, COMPREHENSIONS):
        return any(generator.ifs for generator in part.generators)
    return isinstance(part, (ast.ExceptHandler, ast.match_case))


def _own(loop: Loop) -> Iterator[ast.AST]:
    """Yield what is in the body of a loop, but not in a further loop or function."""
    pending: list[ast.AST] = list(loop.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*LOOPS, *_ENDS)):
            pending += children(node)


def _skips_some(own: list[ast.AST], node: ast.AST) -> bool:
    """Whether a loop may go on with its next step before it comes to a node."""
    line = getattr(node, "lineno", 0)
    return any(isinstance(part, ast.Continue) and part.lineno < line for part in own)


def _waits_anyway(own: list[ast.AST]) -> bool:
    """Whether a loop waits for the accelerator on purpose, as one does to measure times."""
    return any(isinstance(n, ast.Call) and last_component(n.func) == SYNCHRONIZE for n in own)


def _trains(own: list[ast.AST]) -> bool:
    """Whether a loop computes gradients, or changes parameters by way of an optimizer."""
    methods = [
        part.func
        for part in own
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
    ]
    if any(method.attr == BACKWARD for method in methods):
        return True
    stepping = {dotted(method.value) for method in methods if method.attr == STEP}
    clearing = {dotted(method.value) for method in methods if method.attr == CLEARS_GRADIENTS}
    return not (stepping & clearing).issubset({None})


def _goes_through_batches(loop: Loop, own: list[ast.AST]) -> bool:
    """Whether each step takes a batch: not where it only counts, or waits for an end.

    A program that acts on what a model tells it, step by step, has to read that.
    """
    if any(isinstance(part, ast.Call) and last_component(part.func) == "next" for part in own):
        return True
    if isinstance(loop, ast.While):
        return False
    calls = (part for part in walk(loop.iter) if isinstance(part, ast.Call))
    return not any(last_component(call.func) in COUNTING for call in calls)
