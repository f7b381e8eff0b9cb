"""What is known of an object whose constructor was cut off: what the rest of it writes out."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.values import Const, Function, Instance, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS

_CONSTRUCTOR = "__init__"


def complete(run: Run, function: Function) -> None:
    """Give an object the constants that its constructor, which was cut off, had yet to give it.

    Switches that are off until a method is called are mostly at its end: `self.noisy = False`.
    """
    node, instance = function.node, function.bound
    if not isinstance(node, FUNCTIONS) or node.name != _CONSTRUCTOR:
        return
    parameters = parameters_of(node)
    if not isinstance(instance, Instance) or not parameters:
        return
    obj = run.obj(instance)
    missing: dict[str, Value] = {
        target.attr: Const(statement.value.value)
        for statement in node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        if target.value.id == parameters[0].arg and target.attr not in obj.attrs
    }
    if missing:
        run.update(instance, replace(obj, attrs={**obj.attrs, **missing}))
