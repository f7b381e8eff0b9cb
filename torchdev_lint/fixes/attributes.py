"""Whether an attribute of an object can be assigned to."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import Instance, Value
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof

_CLOSED_BASES = ("NamedTuple", "tuple", "namedtuple", "Enum")


_CHANGES_CLASSES = frozenset({"__setattr__", "__init_subclass__", "__set_name__"})
"""Methods that may say how attributes are set, wherever they stand."""


def is_closed(holder: Value, attr: str) -> bool:
    """Return whether an object may refuse that an attribute of it is assigned, or not keep it.

    It is frozen, has slots, sets its attributes itself, or its class has something of that name.
    """
    if not isinstance(holder, Instance) or holder.cls is None:
        return False
    if holder.cls.inherits(*_CLOSED_BASES) or holder.cls.lookup(attr) is not None:
        return True
    if any(holder.cls.lookup(name) is not None for name in ("__slots__", "__setattr__")):
        return True
    return any(_may_be_frozen(info) for info in holder.cls.lineage())


def is_open(facts: Facts, holder: Value, attr: str) -> bool:
    """Return whether an object certainly lets an attribute be assigned, and keeps it."""
    if not isinstance(holder, Instance) or holder.cls is None:
        return False
    proof = facts.derived(Proof)
    values, mentions = proof.values, proof.mentions
    if _CHANGES_CLASSES & mentions.words or (mentions.sets_by_name and mentions.is_in_text(attr)):
        return False
    if any(proof.is_of_class(store) for store in mentions.stores(attr)):
        return False
    for info in holder.cls.lineage():
        if info.opaque or not set(info.libraries) <= {"torch.nn.Module"} or info.node.keywords:
            return False
        for decorator in info.node.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            if values.library(function) != "dataclasses.dataclass":
                return False
    return True


def _may_be_frozen(info: ClassInfo) -> bool:
    """Whether a class is a data class that says how far it is frozen, and doesn't say: not."""
    given = [
        keyword.value
        for decorator in info.node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg in {"frozen", None}
    ]
    return any(not (isinstance(value, ast.Constant) and value.value is False) for value in given)
