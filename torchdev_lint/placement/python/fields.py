"""Classes whose constructor is made of their fields: data classes, attrs, named tuples."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.builtins import AFTER_FIELDS
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import UNKNOWN, Function, Instance, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def fill_fields(run: Run, info: ClassInfo, instance: Instance, arguments: Arguments) -> None:
    """Store the arguments of a constructor that is made of fields as attributes."""
    fields = _fields(info)
    attrs = {name: value for name, (value, _) in zip(fields, arguments.positional, strict=False)}
    attrs |= {name: value for name, (value, _) in arguments.keywords.items() if name in fields}
    _set(run, instance, attrs)


def leave_open(run: Run, info: ClassInfo, instance: Instance) -> None:
    """Have the fields of an object be whatever somebody gives them."""
    _set(run, instance, dict.fromkeys(_fields(info), UNKNOWN))


def _set(run: Run, instance: Instance, attributes: dict[str, Value]) -> None:
    obj = run.obj(instance)
    run.update(instance, replace(obj, attrs={**obj.attrs, **attributes}))


def _fields(info: ClassInfo) -> list[str]:
    return [
        item.target.id
        for parent in reversed(info.lineage())
        for item in parent.node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]


def after_fields(info: ClassInfo, instance: Instance) -> Function | None:
    """Return the method that goes on with building an object whose fields are set."""
    for name in AFTER_FIELDS:
        found = info.lookup(name)
        if isinstance(found, Function):
            return replace(found, bound=instance)
    return None
