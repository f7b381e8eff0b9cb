"""Tests of a type: whether their outcome would be a guess."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.placement.domain.values import Method, Unknown, alternatives
from torchdev_lint.placement.python.given import is_given
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import dotted


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
    if isinstance(subject, ast.Name) and is_given(run, subject.id, subject):
        return False
    return any(isinstance(o, (Unknown, Method)) for o in alternatives(run.evaluate(subject)))
