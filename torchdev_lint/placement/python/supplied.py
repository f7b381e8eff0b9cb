"""What pytest hands to tests: their parameters have the names of fixtures."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.values import (
    Const,
    DeviceValue,
    Function,
    FunctionNode,
    Value,
)
from torchdev_lint.placement.evidence.host_code import is_called_by_pytest, is_fixture
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.run import Run


def supplied(run: Run, node: FunctionNode, name: str) -> Value | None:
    """Return the device, or the plain value, that a fixture of the same file gives a test.

    Args:
        node: the function that asks for it.
        name: the parameter by which it does.

    Returns:
        None if there is no such fixture, or if it isn't known what it gives.
    """
    if isinstance(node, ast.Lambda) or not is_called_by_pytest(node):
        return None
    fixture = run.module.env.names.get(name)
    if not isinstance(fixture, Function) or not is_fixture(fixture.node):
        return None
    given = functions.call_function(run, fixture, Arguments(open_ended=True, any_keyword=True))
    if isinstance(given, Sequence) and given.kind is SequenceKind.ITERATOR:
        given = given.element  # one that cleans up behind the test yields it
    return given if isinstance(given, (Const, DeviceValue)) else None
