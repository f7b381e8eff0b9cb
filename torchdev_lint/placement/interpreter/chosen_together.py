"""What is called, and what it is given: if both are one of several, one condition may choose both.

A script that runs on TPUs as well has a loader and a model for these, which fit, and others.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from torchdev_lint.placement.defects.meetings import place_of
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    Bundle,
    Function,
    Instance,
    Method,
    Place,
    Tensor,
    Value,
    alternatives,
    without_none,
)
from torchdev_lint.placement.evidence.conditions import blur
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def one_by_one(called: tuple[Value, ...]) -> Collection[Value]:
    """Return what is called in turn: methods of tensors, one of what the receiver may be, know it.

    `None` can't be called: it stands for a library that is not there.
    """
    options = without_none(called)
    if len(options) == 1:
        return options
    return [
        replace(option, among=True)
        if isinstance(option, Method) and isinstance(option.bound, (Tensor, Bundle))
        else option
        for option in options
    ]


def as_chosen(run: Run, functions: Iterable[Value], arguments: Arguments) -> Arguments:
    """Return arguments as a model on the accelerator gets them which may be another one.

    An argument that is on the CPU in one case alone may be so for the one that moves it, or is
    there as well. Where a condition leads to the call, that may have chosen which it is, and with
    it where its arguments are.

    Args:
        functions: all that may be called.
        arguments: what the code gives whichever it is.
    """
    takes_as_given = {_takes_as_given(run, function) for function in functions}
    if takes_as_given != {True, False}:
        return arguments
    return replace(
        arguments,
        positional=[_elsewhere(run, pair) for pair in arguments.positional],
        keywords={name: _elsewhere(run, pair) for name, pair in arguments.keywords.items()},
    )


def _takes_as_given(run: Run, function: Value) -> bool:
    """Whether something is a model on the accelerator, or its method, and leaves inputs there."""
    called = function.bound if isinstance(function, Function) else function
    if not isinstance(called, Instance):
        return False
    obj = run.obj(called)
    return obj.module and obj.place is Place.ACCELERATOR and not obj.moves_inputs


def _elsewhere(run: Run, argument: tuple[Value, ast.AST]) -> tuple[Value, ast.AST]:
    """An argument in the cases in which it is not on the CPU, if there are any.

    Nowhere for certain where a condition may have chosen it.
    """
    value, node = argument
    if run.env.outcomes:
        return choice([blur(option) for option in alternatives(value)]), node
    left = [option for option in alternatives(value) if place_of(option) is not Place.HOST]
    return (choice(left), node) if left else argument
