"""Attributes that objects are given by names that are made up, and are asked for by the same.

`setattr(self, f"mask{i}", mask)` in a loop, and `getattr(self, f"mask{i}")` elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import join
from torchdev_lint.placement.domain.values import Instance, Library, Scalar, ScalarKind, Value
from torchdev_lint.placement.python.binding import defaults_of
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.made_up import family_of, may_be_of
from torchdev_lint.syntax.scopes import FUNCTIONS


def with_family(obj: Obj, family: str | None, value: Value) -> Obj:
    """Return an object after it was given one of a family of attributes, if it is of one."""
    if family is None:
        return obj
    held = obj.attrs.get(family)
    now = value if held is None else join(held, value)
    return obj.with_attributes({**obj.attrs, family: now})


def family_asked_for(run: Run, base: Value | None, name: ast.AST | None) -> str | None:
    """Return the family of attributes of which an object is asked for one.

    Returns:
        None if it has none of that name, or another attribute may be meant.
    """
    family = family_of(name)
    if family is None or not isinstance(base, Instance):
        return None
    attributes = run.obj(base).attrs
    if family not in attributes:
        return None
    of_classes = set[str]()
    for info in base.cls.lineage() if base.cls is not None else ():
        of_classes.update(info.namespace)
    others = (attributes.keys() | of_classes) - {family}
    return None if any(may_be_of(other, family) for other in others) else family


def member_by_default(run: Run, given: Sequence[tuple[Value, ast.AST]]) -> str | None:
    """Return the function of PyTorch that a parameter names, unless its caller says another one.

    So it is in `getattr(torch, window)(length)`, in what has the parameter `window="hann_window"`.

    Args:
        given: what is asked for the function, and what names it, with their expressions.
    """
    if [value for value, _ in given] != [Library("torch"), Scalar(ScalarKind.STR)]:
        return None
    node, function = given[1][1], run.frame.node
    if not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS):
        return None
    for parameter, default in defaults_of(function):
        if parameter.arg == node.id and isinstance(default, ast.Constant):
            return str(default.value) if str(default.value).isidentifier() else None
    return None
