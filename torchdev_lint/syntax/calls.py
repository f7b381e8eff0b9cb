"""What calls apply, and are given, as they are written."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.factories import DTYPES
from torchdev_lint.syntax.names import last_component


def by_keyword(call: ast.Call, name: str) -> list[ast.expr]:
    """Return what a call is given under a name: one expression, or none."""
    return [keyword.value for keyword in call.keywords if keyword.arg == name]


def destination(call: ast.Call) -> ast.expr | None:
    """Return what a call of `to` is told of a device, if anything; that may be a dtype as well."""
    return next(iter([*by_keyword(call, "device"), *call.args[:1]]), None)


def names_dtype(node: ast.expr) -> bool:
    """Return whether an expression names a dtype, which `to` takes in the place of a device."""
    return last_component(node) in DTYPES | {"dtype"}


def is_type_of_objects(node: ast.AST) -> bool:
    """Return whether a dtype of NumPy's is that of objects, which may be anything."""
    if isinstance(node, ast.Constant):
        return node.value in ("O", "object")
    return getattr(node, "id", getattr(node, "attr", "")) in {"object", "object_"}


def applied(call: ast.Call) -> ast.expr:
    """Return what a call applies: the model, in `model.forward(x)` as in `model(x)`."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        return function.value
    return function
