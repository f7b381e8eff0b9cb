"""Tests of a type or a shape: whether their outcome would be a guess."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.catalog.methods import TYPE_TESTS
from torchdev_lint.placement.domain.values import (
    NO_TENSORS,
    Bundle,
    Method,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.python.given import is_built_with, is_given
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_SHAPES = frozenset({"shape", "ndim", "size", "dim", "ndimension"})
"""Attributes and methods that tell the shape of a tensor."""


def guesses(run: Run, test: ast.expr) -> bool:
    """Whether the outcome of a condition would be a guess: callers in sight may never meet it."""
    return _guesses_type(run, test) or _guesses_shape(run, test)


def _guesses_type(run: Run, test: ast.expr) -> bool:
    """Whether a condition asks for the type of something that nothing is known of.

    Callers in sight may never take such a branch. That doesn't go for what a function is given
    that nobody has called here, nor for a constructor: it says itself what it is made for.
    """
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    tests: Set[str] = TYPE_TESTS
    if isinstance(test, ast.Compare):
        test, tests = test.left, {"type"}
    if not (isinstance(test, ast.Call) and test.args):
        return False
    if (dotted(test.func) or "").rpartition(".")[2] not in tests:
        return False
    subject = test.args[0]
    if isinstance(subject, ast.Name) and (
        is_given(run, subject.id, subject) or is_built_with(run, subject.id, subject)
    ):
        return False
    options = alternatives(run.evaluate(subject))
    return any(isinstance(o, (Unknown, Method)) and o not in NO_TENSORS for o in options)


def _guesses_shape(run: Run, test: ast.expr) -> bool:
    """Whether a condition asks for the shape of what a caller in sight has made on the host.

    That is settled there, but isn't followed: the caller may never take such a branch.
    """
    function = run.frame.node
    if not isinstance(function, FUNCTIONS):
        return False
    given = {parameter.arg for parameter in parameters_of(function)}
    asked = (
        part.value
        for part in walk(test)
        if isinstance(part, ast.Attribute) and part.attr in _SHAPES
    )
    return any(
        isinstance(subject, ast.Name)
        and subject.id in given
        and any(map(_is_made_on_host, alternatives(run.evaluate(subject))))
        for subject in asked
    )


def _is_made_on_host(value: Value) -> bool:
    if not isinstance(value, (Tensor, Bundle)):
        return False
    return value.place is Place.HOST and value.origin is not None
