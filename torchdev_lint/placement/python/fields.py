"""Classes whose constructor is made of their fields: data classes, attrs, named tuples."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.builtins import AFTER_FIELDS
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import UNKNOWN, Function, Instance, Value
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import FUNCTIONS

_BASES = frozenset({"object", "abc.ABC", "typing.Generic"})
"""What a data class may inherit from out of sight without getting fields of it."""
_NO_FIELDS = frozenset({"ClassVar", "InitVar", "KW_ONLY"})
"""What annotations name that make of an attribute something else than a field."""
_OWN_ITEMS = frozenset({"__iter__", "__getitem__"})
"""Methods by which an object gives other items than a tuple does."""
_BUILDING = frozenset({"__init__", "__new__"})
"""Methods by which an object is built otherwise."""


def fill_fields(run: Run, info: ClassInfo, instance: Instance, arguments: Arguments) -> None:
    """Store the arguments of a constructor that is made of fields as attributes."""
    fields = _fields(info)
    attrs: dict[str, Value] = {}
    spread = {node: value for value, node in arguments.bundles}
    for number, (value, node) in enumerate(arguments.positional):
        if isinstance(node, ast.Starred):  # `Batch(*zip(*samples))`: the rest is of what it holds
            attrs |= dict.fromkeys(fields[number:], spread.get(node.value, value))
            break
        attrs |= dict.fromkeys(fields[number : number + 1], value)
    attrs |= {name: value for name, (value, _) in arguments.keywords.items() if name in fields}
    _set(run, instance, attrs)


def as_tuple(run: Run, value: Instance) -> Sequence | None:
    """Return what a named tuple has in the order of its fields; None for any other object."""
    info = value.cls
    if info is None or not info.inherits("NamedTuple") or not _OWN_ITEMS.isdisjoint(_own(info)):
        return None
    attrs = run.obj(value).attrs
    items = [attrs.get(name) or info.lookup(name) or UNKNOWN for name in _fields(info)]
    return Sequence(tuple(items), choice(items) if items else UNKNOWN, SequenceKind.TUPLE)


def _own(info: ClassInfo) -> set[str]:
    return {name for parent in info.lineage() for name in parent.methods()}


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


def refuses(info: ClassInfo, arguments: Arguments) -> bool:
    """Whether a data class certainly does not take what its constructor is given.

    That is one of the standard library, as are all that it inherits from, with a constructor that
    is made of its fields.
    """
    if arguments.open_ended or arguments.any_keyword or arguments.bundles:
        return False
    if any(isinstance(at, ast.Starred) for _, at in arguments.positional):
        return False
    fields = _plain_fields(info)
    if fields is None:
        return False
    given = {*list(fields)[: len(arguments.positional)], *arguments.keywords}
    if len(arguments.positional) > len(fields) or not fields.keys() >= given:
        return True
    return any(required and name not in given for name, required in fields.items())


def _plain_fields(info: ClassInfo) -> dict[str, bool] | None:
    """The fields of a data class, and whether they have to be given; None: not all is known."""
    fields: dict[str, bool] = {}
    for parent in reversed(info.lineage()):
        if parent.opaque or not _BASES.issuperset(parent.libraries) or not _is_data_class(parent):
            return None
        for item in parent.node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                if _is_special(item):
                    return None
                fields[item.target.id] = item.value is None
            elif isinstance(item, FUNCTIONS) and item.name in _BUILDING:
                return None
    return fields


def _is_special(item: ast.AnnAssign) -> bool:
    """Whether an attribute may be something else than a field that the constructor takes."""
    if isinstance(item.value, ast.Call) and last_component(item.value.func) == "field":
        return True
    return any(word in ast.unparse(item.annotation) for word in _NO_FIELDS)


def _is_data_class(info: ClassInfo) -> bool:
    """Whether a class is a data class of the standard library, as most are."""
    if len(info.node.decorator_list) != 1 or info.node.keywords:
        return False
    decorator = info.node.decorator_list[0]
    if isinstance(decorator, ast.Call):
        if decorator.args or not {k.arg for k in decorator.keywords} <= {"frozen", "eq", "slots"}:
            return False
        decorator = decorator.func
    tree = info.closure[-1].node if info.closure else None
    name = dotted(decorator)
    if not isinstance(tree, ast.Module) or name not in {"dataclass", "dataclasses.dataclass"}:
        return False
    bound = context_of(info.file).top_level(tree).bindings.get(name.partition(".")[0], [])
    return len(bound) == 1 and (
        isinstance(bound[0], ast.Import)
        or (isinstance(bound[0], ast.ImportFrom) and bound[0].module == "dataclasses")
    )


def after_fields(info: ClassInfo, instance: Instance) -> Function | None:
    """Return the method that goes on with building an object whose fields are set."""
    for name in AFTER_FIELDS:
        found = info.lookup(name)
        if isinstance(found, Function):
            return replace(found, bound=instance)
    return None
