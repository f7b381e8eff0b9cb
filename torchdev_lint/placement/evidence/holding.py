"""What objects keep in their attributes, and whether it stays behind where a module is moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.catalog.builtins import CONSTRUCTING
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.modules import FRAMEWORK_ENTRIES, LIGHTNING_STEPS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.origins import Holder, OriginKind
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNKNOWN,
    DeviceValue,
    Function,
    Place,
    Tensor,
    Value,
)
from torchdev_lint.placement.evidence.classes import builds_state
from torchdev_lint.placement.evidence.file_context import FileContext, context_of
from torchdev_lint.syntax.namespaces import NAMESPACE
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.refreshing import made_whole, outgrown
from torchdev_lint.syntax.scopes import FUNCTIONS

_MOVES_OF_ITS_OWN = frozenset({"_apply", "to", "cuda", "to_device"})
"""Methods with which a class moves its objects."""
_ANSWERING = frozenset({"__getattr__", "__setattr__"})
"""Methods with which a class may give, or keep, something else than what it was told."""
_NUMBERS = frozenset({"int", "float", "bool"})
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
    held = list(_leaves(value))
    plain = [each for each in held if not (_is_registered(each) or _is_given(obj, each))]
    stays = (
        all(map(_stays_on_host, plain or held))
        and not (0 < len(plain) < len(held) and _tells_paths_apart(info, attribute))
        and (attribute in obj.certain or attribute not in assigned_elsewhere(info))
        and all(info.lookup(name) is None for name in (attribute, *_ANSWERING))
        and not _may_take_along(info, attribute)
    )
    setters = list(_setters_of(info, attribute))
    owner = next((each for each in setters if each.file is info.file), info).node
    path = context_of((setters or [info])[0].file).path
    if obj.module:
        called = obj.was_moved or _is_called(info)
        return Holder(attribute, owner, stays, path=path, called=called)
    told = stays and _is_told(info)
    return Holder(
        attribute,
        owner,
        leaves_behind=False,
        stays=stays and (told or obj.module is False),
        told_device=told,
        path=path,
    )


def _is_called(info: ClassInfo) -> bool:
    """Whether modules of a class are called for what they compute, by a method or that of a layer.

    Its user has moved one that has parameters or buffers, whatever methods it is used by.
    """
    return any(info.lookup(name) is not None for name in _ENTRIES) or builds_state(info)


def _leaves(value: Value) -> Iterator[Value]:
    """Yield the alternatives of a value, and of what lists and dicts in it hold."""
    for part in leaves(value):
        entries = part.held() if isinstance(part, Mapping) else ()
        if entries:
            yield from (leaf for each in entries if each != MISSING for leaf in leaves(each))
        else:
            yield part


def _setters_of(info: ClassInfo, attribute: str) -> Iterator[ClassInfo]:
    """The classes that set an attribute for the objects of a class: that, or some of its bases."""
    return (parent for parent in info.lineage() if attribute in _assigned_by(parent))


def _assigned_by(info: ClassInfo) -> frozenset[str]:
    """The attributes that the methods of a class assign, those of its bases left aside."""
    if info.assigned is None:
        context = context_of(info.file)
        assigned = (context.own_attributes(method)[1] for method in info.methods().values())
        info.assigned = frozenset().union(*assigned)
    return info.assigned


def _is_told(info: ClassInfo) -> bool:
    """Whether objects of a class are built with a device."""
    init = info.lookup("__init__")
    if init is None:
        return any(info.declared(name) is not None for name in DEVICE_NAMES)
    if not isinstance(init, Function) or not isinstance(init.node, FUNCTIONS):
        return False
    return not DEVICE_NAMES.isdisjoint(p.arg for p in parameters_of(init.node))


def _stays_on_host(value: Value) -> bool:
    """Whether a value is a tensor that some code has made on the host, or none at all.

    Or the device of what was there when it was asked.
    """
    if isinstance(value, DeviceValue):
        return value.asked is not None
    if not isinstance(value, Tensor):
        return value == NONE
    origin = value.origin
    is_made = origin is not None and origin.kind is OriginKind.FACTORY and origin.keeper is None
    return is_made and value.place is Place.HOST and not value.registered


def _is_registered(value: Value) -> bool:
    """Whether a value is a parameter or buffer, which is moved with its module."""
    return isinstance(value, Tensor) and value.registered


def _is_given(obj: Obj, value: Value) -> bool:
    """Whether a value may be what a module was built with: what it makes itself stays as well.

    That may be known to be a tensor, by an annotation or by what is computed of it.
    """
    is_tensor = isinstance(value, Tensor) and value.origin is None and not value.registered
    is_anywhere = isinstance(value, Tensor) and value.place is Place.UNKNOWN
    return obj.module and (value == UNKNOWN or (is_tensor and is_anywhere))


def _tells_paths_apart(info: ClassInfo, attribute: str) -> bool:
    """Whether methods other than `__init__` ask what it has chosen before they read an attribute.

    What is something else on one of its paths may then be read there only.
    """
    for parent in info.lineage():
        for name, method in parent.methods().items():
            if name not in CONSTRUCTING:
                asked = context_of(parent.file).asked_before(method)
                if attribute in asked.read or any(info.lookup(each) for each in asked.called):
                    return True
    return False


def assigned_elsewhere(info: ClassInfo) -> frozenset[str]:
    """Return the attributes to which methods other than those that build it give something new.

    Or those that build an heir of it.
    """
    if info.set_again is None:
        info.set_again = _set_again(info)
    return info.set_again


def _set_again(info: ClassInfo) -> frozenset[str]:
    found: list[tuple[str, frozenset[str]]] = []
    for parent in info.lineage():
        context = context_of(parent.file)
        for name, method in parent.methods().items():
            if name not in CONSTRUCTING and context.own_attributes(method)[1]:
                found.append((name, context.replaced_in(method)))
    building = _building(info) if any(names for _, names in found) else frozenset()
    own = frozenset().union(*(names for name, names in found if name not in building))
    return own | _set_by_heirs(info)


def _set_by_heirs(info: ClassInfo) -> frozenset[str]:
    """The attributes to which heirs give something new in a method that a constructor calls."""
    tree = info.closure[-1].node if info.closure else None
    if tree is None:
        return frozenset()
    families = context_of(info.file).families_in(tree)
    if not families.may_have_heirs(info.node):
        return frozenset()
    building = _building(info) - CONSTRUCTING
    if not building:
        return frozenset()
    parts = (part for heir in families.near_heirs(info.node) for part in heir.body)
    methods = (part for part in parts if isinstance(part, FUNCTIONS) and part.name in building)
    return frozenset().union(*map(context_of(info.file).replaced_in, methods))


def _building(info: ClassInfo) -> frozenset[str]:
    """The methods that `__init__` calls, or what it calls, and no other method of the class.

    A public one that takes arguments may be called again, by its user, with something else. With
    other numbers it does the same. One that others call only where what it has made is outgrown
    has made what there is before that.
    """
    callers: dict[str, set[str]] = {}
    called_by: dict[str, set[str]] = {}
    if all(CONSTRUCTING.isdisjoint(parent.methods()) for parent in info.lineage()):
        return CONSTRUCTING
    for parent in info.lineage():
        for name, method in parent.methods().items():
            read = _read(parent, method)
            called_by.setdefault(name, set()).update(read)
            for called in read:
                callers.setdefault(called, set()).add(name)
    building, new = set(CONSTRUCTING), set(CONSTRUCTING)
    while new:  # nothing changes for what none of the new ones calls
        asked = {name for user in new for name in called_by.get(user, ())} - building
        new = {
            name
            for name in asked
            if callers[name] <= building or _makes_again(info, name, callers[name], building)
            if not _is_told_more(info, name)
        }
        building |= new
    return frozenset(building)


def _makes_again(info: ClassInfo, name: str, users: Set[str], building: Set[str]) -> bool:
    """Whether a method has made for an object what it makes again only where that is outgrown.

    Args:
        users: the methods that call it.
        building: those of them that build the object, and others.
    """
    if not name.startswith("_") or users.isdisjoint(building):
        return False
    maker = info.lookup(name)
    if not isinstance(maker, Function):
        return False
    made = context_of(maker.file).own_attributes(maker.node)[1]
    for parent in info.lineage():
        methods, context = parent.methods(), context_of(parent.file)
        for user in users & methods.keys():
            method = methods[user]
            if user in building:
                whole = context.of_nodes(made_whole, method)
                fits = name in whole or name not in _read(parent, method)
            else:
                asked = context.of_nodes(_outgrown_in, method).get(name, frozenset())
                fits = not made.isdisjoint(asked)
                fits |= name not in _read(parent, method)
            if not fits:
                return False
    return True


def _outgrown_in(nodes: list[ast.AST]) -> dict[str, frozenset[str]]:
    return outgrown(nodes[0])


def _read(info: ClassInfo, method: ast.AST) -> frozenset[str]:
    return context_of(info.file).own_attributes(method)[0]


def _is_told_more(info: ClassInfo, name: str) -> bool:
    """Whether a public method takes more than numbers, in one of the classes that have it."""
    return not name.startswith("_") and any(
        name in parent.methods() and _takes_more(parent, parent.methods()[name])
        for parent in info.lineage()
    )


def _takes_more(info: ClassInfo, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method takes more than numbers."""
    counted = context_of(info.file).counts_in(method, info.node)
    return any(
        parameter.arg not in counted and getattr(parameter.annotation, "id", "") not in _NUMBERS
        for parameter in parameters_of(method)[1:]
    )


def _may_take_along(info: ClassInfo, attribute: str) -> bool:
    """Whether the methods by which a class moves its objects may move an attribute as well.

    They don't if each of them says by name what it moves, and that is something else.
    """
    for context, method in _movers(info):
        read, assigned = context.own_attributes(method)
        if context.hands_itself_over(method) or attribute in read | assigned:
            return True
        if NAMESPACE in read or any(isinstance(info.lookup(each), Function) for each in read):
            return True
    return False


def taken_along(info: ClassInfo) -> frozenset[str]:
    """Return the attributes that a class assigns anew where its objects are moved."""
    return frozenset().union(*(c.own_attributes(method)[1] for c, method in _movers(info)))


def _movers(info: ClassInfo) -> Iterator[tuple[FileContext, ast.AST]]:
    """Yield the methods by which a class moves its objects, each with its file."""
    for parent in info.lineage():
        methods = parent.methods()
        for name in _MOVES_OF_ITS_OWN & methods.keys():
            yield context_of(parent.file), methods[name]
