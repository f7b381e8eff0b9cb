"""The parts of a module by their names, as `named_children` gives them."""

from __future__ import annotations

from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.heap import HOLDERS, UNBUILT
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import (
    Choice,
    Const,
    Instance,
    Method,
    Unknown,
    Value,
)
from torchdev_lint.placement.run import Run

_ROOT = "torch."
_MOST = 12
"""Of how many parts each is told, for a loop to go through them."""


def children_of(run: Run, module: Instance) -> dict[str, Instance] | None:
    """Return the parts of a module that code in view has built; None if it may have others.

    Args:
        module: an object of a class of the project.
    """
    cls, obj = module.cls, run.obj(module)
    if cls is None or any(parent.opaque for parent in cls.lineage()):
        return None
    if not all(base.startswith(_ROOT) for base in cls.library_bases()):
        return None
    if UNBUILT in obj.attrs or not HOLDERS.isdisjoint(obj.attrs):
        return None
    run.budget.visited(len(obj.attrs))
    found: dict[str, Instance] = {}
    for name, value in obj.attrs.items():
        if isinstance(value, (Choice, Unknown, Method)):
            return None
        if isinstance(value, Instance) and run.obj(value).module:
            found[name] = value
    return found if len(found) <= _MOST else None


def as_pairs(children: dict[str, Instance]) -> Value:
    """Return parts as `named_children` gives them, each with its name."""
    pairs: list[Value] = [
        sequence([Const(name), part], SequenceKind.TUPLE) for name, part in children.items()
    ]
    return sequence(pairs)
