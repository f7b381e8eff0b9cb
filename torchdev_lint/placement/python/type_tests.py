"""Tests of a type: whether their outcome would be a guess."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.placement.domain.values import Method, Unknown, alternatives
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import FUNCTIONS


def guesses_type(run: Run, test: ast.expr) -> bool:
    """Whether a condition asks for the type of something that nothing is known of.

    Callers in sight may never take such a branch. That doesn't go for what a function is given
    that nobody has called here: it says itself what it is made for.
    """
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    if not (isinstance(test, ast.Call) and test.args):
        return False
    if (dotted(test.func) or "").rpartition(".")[2] not in TYPE_TESTS:
        return False
    subject = test.args[0]
    if isinstance(subject, ast.Name) and _is_given(run, subject):
        return False
    return any(isinstance(o, (Unknown, Method)) for o in alternatives(run.evaluate(subject)))


def _is_given(run: Run, name: ast.Name) -> bool:
    """Whether a variable is an argument of the entry point at hand, and still what that was given.

    A module's `forward` is left out, and what the host's code is given.
    """
    frame = run.frame
    if frame.node is not run.entry or frame.in_forward or run.serves_host:
        return False
    if not isinstance(frame.node, FUNCTIONS):
        return False
    if name.id not in {argument.arg for argument in functions.parameters_of(frame.node)}:
        return False
    stores = (
        node
        for node in run.file.nodes_in(frame.node)
        if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Store)
    )
    return all(node.lineno >= name.lineno for node in stores)
