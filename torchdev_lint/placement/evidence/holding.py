"""What objects keep in their attributes, and whether it stays behind where a module is moved."""

from __future__ import annotations

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.modules import FRAMEWORK_ENTRIES, LIGHTNING_STEPS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.origins import Holder, OriginKind
from torchdev_lint.placement.domain.values import NONE, Function, Place, Tensor, Value
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.syntax.own_attributes import replaced
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS

_MOVING_METHODS = frozenset({"_apply", "to", "cuda", "to_device", "__getattr__", "__setattr__"})
"""Methods with which a class may take along what `Module.to` leaves behind."""
_ENTRIES = frozenset({"forward", "__call__", "update"}) | FRAMEWORK_ENTRIES | LIGHTNING_STEPS
"""Methods for which a module is called, where its user has moved it."""


def holder_of(obj: Obj, info: ClassInfo | None, attribute: str, value: Value) -> Holder:
    """Return what is to be said of an object that has kept a value in an attribute.

    Args:
        obj: what is known of the object.
        info: its class, if that is in sight.
        value: what the attribute has held since before the function at hand was called.
    """
    if info is None:
        return Holder(attribute, None, leaves_behind=False)
    stays = (
        all(map(_stays_on_host, leaves(value)))
        and attribute not in assigned_elsewhere(info)
        and all(info.lookup(name) is None for name in (attribute, *_MOVING_METHODS))
    )
    if obj.module:
        is_entered = stays and any(info.lookup(name) is not None for name in _ENTRIES)
        return Holder(attribute, info.node, is_entered)
    told = stays and _is_told(info)
    return Holder(
        attribute,
        info.node,
        leaves_behind=False,
        stays=stays and (told or obj.module is False),
        told_device=told,
    )


def _is_told(info: ClassInfo) -> bool:
    """Whether objects of a class are built with a device."""
    init = info.lookup("__init__")
    if not isinstance(init, Function) or not isinstance(init.node, FUNCTIONS):
        return False
    return not DEVICE_NAMES.isdisjoint(p.arg for p in parameters_of(init.node))


def _stays_on_host(value: Value) -> bool:
    """Whether a value is a tensor that some code has made on the host, or none at all."""
    if not isinstance(value, Tensor):
        return value == NONE
    origin = value.origin
    is_made = origin is not None and origin.kind is OriginKind.FACTORY and origin.keeper is None
    return is_made and value.place is Place.HOST and not value.registered


def assigned_elsewhere(info: ClassInfo) -> frozenset[str]:
    """Return the attributes to which methods other than `__init__` give something new."""
    names: set[str] = set()
    for parent in info.lineage():
        context = context_of(parent.file)
        for name, method in parent.methods().items():
            if name != "__init__" and context.own_attributes(method)[1]:
                names |= replaced(context.nodes_in(method))
    return frozenset(names)
