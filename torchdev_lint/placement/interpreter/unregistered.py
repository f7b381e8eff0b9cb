"""What a module keeps in plain containers, where it is no part of it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Set
from typing import TypeAlias

from torchdev_lint.catalog.classes import ClassKind, is_known, kinds_of
from torchdev_lint.catalog.metrics import METRICS
from torchdev_lint.catalog.modules import STATE_HOOKS, WITH_PARAMETERS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import OWN_STATE, REGISTERED
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    MISSING,
    WIDENED,
    Instance,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import builds_container, extended_layer, is_metric
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.facts.events import Unregistered
from torchdev_lint.placement.python.functions import build_late
from torchdev_lint.placement.python.moving import registered_in
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass, replace
from torchdev_lint.syntax.walking import walk

_PLAIN = frozenset({SequenceKind.LIST, SequenceKind.TUPLE, SequenceKind.SET, SequenceKind.ITERATOR})
_PARAMETER_LIST = "torch.nn.ParameterList"
_MAX_DEPTH = 3
"""How many containers deep is looked for modules."""
_Assignment: TypeAlias = "tuple[ast.Assign | ast.AnnAssign, ast.ClassDef]"
"""A statement that sets an attribute, and the class in which it stands."""


def note_unregistered(
    run: Run, module: Instance, given: Set[int], building_of: Callable[[ClassInfo], Set[str]]
) -> None:
    """Note which attributes of a module that was just built hold state it doesn't register.

    So do its parts, of what it has made and handed to them: who builds a part is seen nowhere else.

    Args:
        given: the objects that came in with arguments: others may take care of them.
        building_of: gives the names of the methods that build the objects of a class.
    """
    registered = _note_of(run, module, module, given, None, building_of)
    for part in _parts_of(run, module):
        if part.cls is not None and part.cls.file is run.main and part.ref not in given:
            registered = _note_of(run, part, module, given, registered, building_of)


def _note_of(
    run: Run,
    holder: Instance,
    whole: Instance,
    given: Set[int],
    registered: _Holders | None,
    building_of: Callable[[ClassInfo], Set[str]],
) -> _Holders | None:
    """Note what one module holds; return the parts of the whole, if that was asked for.

    Args:
        whole: what was built, of which it is a part or which it is itself.
        registered: the parts of that, if they are known already.
    """
    attrs, info = run.obj(holder).attrs, holder.cls
    if info is None or _may_be_taken_care_of(run, info) or _lists_parameters(info, attrs):
        return registered
    kept = {
        name: found
        for name, value in attrs.items()
        if name.isidentifier() and value != WIDENED and (found := _Kept.of(value)) is not None
    }
    if kept:
        registered = registered or _registered(run, whole)
    if not kept or registered is None:
        return registered
    building = building_of(info)
    first = _first_assignments(run, info, building)
    gone_through = _gone_through(info, building)
    for name, held in kept.items():
        taken_over = given | _held_by_modules(run, attrs[name])
        lost = [part for part in held.modules if part.ref not in taken_over]
        lost = [part for part in lost if _has_state(run, part, registered)]
        is_named = any(
            _reads(parent, name) for parent in info.lineage() if parent.file is not run.main
        )
        if is_named or (held.count == 1 and name not in gone_through):
            continue
        if name in first and (lost or (held.parameters and REGISTERED not in attrs)):
            _note(run, name, held, lost, first[name], building)
    return registered


def _held_by_modules(run: Run, value: Value) -> set[int]:
    """The modules that a container of modules holds which may take the place of a plain one."""
    kept = (option for option in alternatives(value) if isinstance(option, Instance))
    attrs = (
        leaf for each in kept for held in run.obj(each).attrs.values() for leaf in leaves(held)
    )
    return {leaf.ref for leaf in attrs if isinstance(leaf, Instance)}


def _may_be_taken_care_of(run: Run, info: ClassInfo) -> bool:
    """Whether a class inherits from one that may take care of whatever its heirs keep.

    That is one out of sight, unless its library was read, and one of another file that has
    something to say about how its state is handled.
    """
    libraries = {name.partition(".")[0] for name in info.library_bases()}
    known = all(map(is_known, libraries - sys.stdlib_module_names - {"torch"}))
    if not known or any(parent.opaque for parent in info.lineage()):
        return True
    others = (parent for parent in info.lineage() if parent.file is not run.main)
    return any(not STATE_HOOKS.isdisjoint(parent.methods()) for parent in others)


def _lists_parameters(info: ClassInfo, attrs: dict[str, Value]) -> bool:
    """Whether a module has a `ParameterList`, into which it may put those of what it keeps."""
    options = (option for value in attrs.values() for option in alternatives(value))
    if not any(isinstance(o, Instance) and o.library == _PARAMETER_LIST for o in options):
        return False
    return any(
        isinstance(node, ast.Attribute) and node.attr == "parameters"
        for parent in info.lineage()
        for node in context_of(parent.file).nodes_in(parent.node)
    )


def _reads(info: ClassInfo, attr: str) -> bool:
    """Whether the methods of a class read an attribute of their objects."""
    return attr in context_of(info.file).own_attributes(info.node)[0]


def _gone_through(info: ClassInfo, building: Set[str]) -> set[str]:
    """The attributes that methods go through in a loop: one thing alone isn't hidden in those.

    Args:
        building: the methods that build the object.
    """
    return {
        part.attr
        for parent in info.lineage()
        for name, method in parent.methods().items()
        if name not in building
        for node in context_of(parent.file).nodes_in(method)
        if isinstance(node, (ast.For, ast.comprehension))
        for part in walk(node.iter)
        if isinstance(part, ast.Attribute)
    }


@dataclass(frozen=True, slots=True)
class _Kept:
    """What an attribute keeps in plain containers.

    Args:
        kind: what the outer one is called.
        modules: the objects in them.
        parameters: whether there are parameters.
        count: how many elements there are in all, None if that is not known.
        only_objects: whether the elements of the outer one are objects for certain.
    """

    kind: str
    modules: tuple[Instance, ...]
    parameters: bool
    count: int | None
    only_objects: bool

    @classmethod
    def of(cls, value: Value) -> _Kept | None:
        """Return what a value keeps, where it is such a container."""
        containers = [option for option in alternatives(value) if _is_plain(option)]
        if not containers:
            return None
        elements = [part for held in containers for part in _elements(held, _MAX_DEPTH)]
        modules = tuple(dict.fromkeys(part for part in elements if isinstance(part, Instance)))
        parameters = any(isinstance(part, Tensor) and part.registered for part in elements)
        if not modules and not parameters:
            return None
        first = containers[0]
        kind = first.kind.value if isinstance(first, Sequence) else "dict"
        count = len(elements) if all(map(_is_known, containers)) else None
        inner = [part for held in containers for part in _elements(held, 1)]
        only = all(isinstance(part, (Instance, Tensor)) for part in inner)
        return cls(kind, modules, parameters, count, only)


def _is_plain(value: Value) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and value.kind in _PLAIN)


def _is_known(value: Value) -> bool:
    """Whether all elements of a container are known, and hold no others."""
    if isinstance(value, Mapping):
        return bool(value.items)
    return isinstance(value, Sequence) and value.items is not None


def _elements(value: Value, depth: int) -> Iterator[Value]:
    """Yield what is in a container, and in those that it holds."""
    if isinstance(value, Mapping):
        parts: Iterable[Value] = [part for part in value.held() if part != MISSING]
    elif isinstance(value, Sequence):
        parts = value.items if value.items is not None else (value.element,)
    else:
        parts = ()
    for part in parts:
        for option in alternatives(part):
            if depth > 1 and isinstance(option, (Mapping, Sequence)):
                yield from _elements(option, depth - 1)
            else:
                yield option


def _parts_of(run: Run, module: Instance) -> list[Instance]:
    """The modules that are parts of one, of whatever depth."""
    pending, found = [module], dict[int, Instance]()
    while pending:
        for part in registered_in(run.obj(pending.pop())):
            if run.obj(part).module and part.ref not in found and part.ref != module.ref:
                found[part.ref] = part
                pending.append(part)
    run.budget.visited(len(found))
    return list(found.values())


_Holders: TypeAlias = "dict[int, set[ClassInfo | None]]"
"""The objects that are parts of a module, and the classes of what has them as an attribute."""


def _registered(run: Run, module: Instance) -> _Holders | None:
    """The parts of a module, and it itself; None where anything may be one."""
    pending = [module]
    found: _Holders = {module.ref: {None}}
    while pending:
        current = pending.pop()
        obj = run.obj(current)
        if current is module and REGISTERED in obj.attrs:
            parts = leaves(obj.attrs[REGISTERED])
            # A parameter may be that of a layer which is in the list.
            layers = (p for p in parts if not isinstance(p, Tensor) or p.registered)
            if any(isinstance(part, (Unknown, Tensor)) for part in layers):
                return None
        for part in registered_in(obj):
            if run.obj(part).module:
                if part.ref not in found:
                    pending.append(part)
                found.setdefault(part.ref, set()).add(current.cls)
    return found


def _has_state(run: Run, module: Instance, registered: _Holders) -> bool:
    """Whether an object certainly is a module with state that is not registered elsewhere.

    What the code itself has moved is taken care of. What objects of one class build in `__init__`
    is one object to the analysis, so that a part that is registered with another object of the same
    class says nothing.
    """
    if module.ref in registered:
        return False
    pending, seen = [module], set[int]()
    while pending:
        current = pending.pop()
        if current.ref in seen:
            continue
        seen.add(current.ref)
        build_late(run, current)
        obj = run.obj(current)
        if not obj.module or obj.was_moved:
            continue
        parts = list(registered_in(obj))
        if (obj.stateful and not parts) or OWN_STATE in obj.attrs or _extends_layer(current.cls):
            return True
        held = (leaf for value in obj.attrs.values() for leaf in leaves(value))
        if any(isinstance(leaf, Tensor) and leaf.registered for leaf in held):
            return True
        pending += [part for part in parts if _is_lost_with(part, current, registered)]
    return False


def _is_lost_with(part: Instance, holder: Instance, registered: _Holders) -> bool:
    """Whether a part of something that is not registered is registered by nothing else either."""
    if part.ref not in registered or holder.ref in registered:
        return True
    return registered[part.ref] <= {holder.cls} - {None}


def _extends_layer(info: ClassInfo | None) -> bool:
    """Whether a class inherits from a layer that certainly has state, of whatever library."""
    if info is None or any(parent.opaque for parent in info.lineage()):
        return False
    if extended_layer(info) in _WITH_PARAMETERS:
        return True
    return any(ClassKind.LAYER in (kinds_of(name) or ()) for name in info.library_bases())


_WITH_PARAMETERS = {f"torch.nn.{name}" for name in WITH_PARAMETERS}


def _note(
    run: Run,
    attr: str,
    held: _Kept,
    lost: list[Instance],
    first: _Assignment,
    building: Set[str],
) -> None:
    names = [part.cls.name if part.cls else part.library.rpartition(".")[2] for part in lost]
    labels = tuple(dict.fromkeys(name for name in names if name))
    statement, owner = first
    kind = "generator" if isinstance(statement.value, ast.GeneratorExp) else held.kind
    metrics = bool(lost) and all(map(_is_metric, lost))
    origin = _leave(run, lost, statement, " and ".join(labels)) if metrics else None
    run.note(
        Unregistered(
            statement,
            owner,
            attr,
            kind,
            labels,
            held.count is None,
            bool(lost),
            held.only_objects and all(run.obj(part).module for part in held.modules),
            frozenset(building),
            metrics,
            origin,
        )
    )


def _is_metric(module: Instance) -> bool:
    """Whether a module counts how good others are."""
    if module.cls is not None:
        return is_metric(module.cls)
    return module.library.startswith(f"{METRICS}.")


def _leave(run: Run, metrics: list[Instance], statement: ast.stmt, label: str) -> Origin | None:
    """Have metrics of a library stay where they are built; None if their code is in sight.

    Some are kept like that to be given what is on the CPU: what they meet has to tell.
    """
    if any(metric.cls is not None for metric in metrics):
        return None
    origin = run.made(statement, OriginKind.KEPT, label)
    for metric in metrics:
        obj = replace(run.obj(metric), place=Place.HOST, stateful=True, origin=origin)
        run.update(metric, obj)
    return origin


def _first_assignments(run: Run, info: ClassInfo, building: Set[str]) -> dict[str, _Assignment]:
    """Where a class of the file at hand, or one that it inherits from, first sets its attributes.

    Only what may give an attribute a container counts; what holds no module for certain comes last.
    """
    first: dict[str, _Assignment] = {}
    for owner in info.lineage():
        for name, method in owner.methods().items():
            if name not in building or owner.file is not run.main:
                continue
            found: dict[str, _Assignment] = {}
            for node in context_of(owner.file).nodes_in(method):
                if isinstance(node, (ast.Assign, ast.AnnAssign)):
                    for attr in _set_by(node):
                        if attr not in found or _order(node) < _order(found[attr][0]):
                            found[attr] = node, owner.node
            first = found | first
    return first


def _order(node: ast.Assign | ast.AnnAssign) -> tuple[bool, int]:
    """The place of a statement among those that set an attribute."""
    elements = getattr(node.value, "elts", [])
    plain = bool(elements) and all(isinstance(e, (ast.Lambda, ast.Constant)) for e in elements)
    return plain, node.lineno


def _set_by(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """The attributes to which a statement gives a value that may be a container."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    value = node.value
    if value is None or isinstance(value, ast.Constant) or builds_container(value):
        return []
    parts = (p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t]))
    return [part.attr for part in parts if isinstance(part, ast.Attribute)]
