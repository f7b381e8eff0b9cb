"""What methods set for those that are called after them.

A trainer's `setup_data` makes the loader that its `train_epoch` goes through. `__init__` has left
the attribute unset, or None, with which the loop would fail on every machine. A model's `reset`
makes the state anew with which its `forward` computes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from typing import TypeAlias

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.heap import is_left
from torchdev_lint.placement.domain.joins import choice, leaves
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNSET,
    Bundle,
    DeviceValue,
    Function,
    Instance,
    Loader,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.entries import guarded, run_entry
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.making import makes_tensors
from torchdev_lint.placement.evidence.run_on_device import is_run_on_device
from torchdev_lint.placement.evidence.staying import Staying
from torchdev_lint.placement.interpreter.called_elsewhere import is_moved
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.own_attributes import asked_of_self, is_looked_up

_COMPUTING = frozenset({"forward", "__call__"})
"""Methods that find a state, and leave the next one."""
_NOTHING = (NONE, UNSET)
_NO_ITEM = (NONE, UNSET, MISSING)

_Method: TypeAlias = "tuple[str, list[ast.AST]]"
"""A method's name, and all of it."""


def set_later(run: Run, info: ClassInfo, instance: Instance, methods: Set[str]) -> dict[str, str]:
    """Return the attributes that one method gives an object for others, with that method.

    It has left them unset when it was built, or the method makes what it gives it instead. Left
    out is what some method asks for whether it is there: the object may do without it.

    Args:
        info: its class.
        methods: the methods that may be run.
    """
    attributes, setters, read = run.obj(instance).attrs, dict[str, list[_Method]](), set[str]()
    for parent in info.lineage():
        context = context_of(parent.file)
        for name, method in parent.methods().items():
            reads, sets = context.own_attributes(method)
            read |= reads
            nodes = context.nodes_in(method) if sets and name != "__init__" else []
            read_first = _read_first(nodes) if name in _COMPUTING else ()
            for attribute in sets if nodes else ():
                if name not in _COMPUTING or attribute not in read_first:
                    setters.setdefault(attribute, []).append((name, nodes))
    late = {
        attribute: found[0][0]
        for attribute, found in setters.items()
        if len(found) == 1
        and found[0][0] in methods
        and attribute in read
        and info.lookup(attribute) is None
        and _is_set_anew(run, attributes.get(attribute, UNSET), found[0][1])
    }
    asked = _asked(info) if late else ()
    placed = {name for name in set(late.values()) if _is_placed(info, name)}
    return {a: setter for a, setter in late.items() if a not in asked and setter not in placed}


def _is_placed(info: ClassInfo, method: str) -> bool:
    """Whether those who call a method have set a default device, where it makes things."""
    owners = (parent for parent in info.lineage() if method in parent.methods())
    return any(is_run_on_device(context_of(owner.file).path, method) for owner in owners)


def _is_set_anew(run: Run, first: Value, nodes: Iterable[ast.AST]) -> bool:
    """Whether a method may give others something else than what an object was built with.

    Args:
        first: that.
        nodes: all of the method.
    """
    return first in _NOTHING or is_moved(run, first) or makes_tensors(nodes)


def _read_first(nodes: Iterable[ast.AST]) -> set[str]:
    """The attributes that a method reads before it gives them something, going by the lines."""
    read, given = dict[str, int](), dict[str, int]()
    for node in nodes:
        if isinstance(node, ast.Attribute) and path_of(node) == f"self.{node.attr}":
            lines = read if isinstance(node.ctx, ast.Load) else given
            lines[node.attr] = min(node.lineno, lines.get(node.attr, node.lineno))
    return {name for name, line in read.items() if line <= given.get(name, line)}


def _asked(info: ClassInfo) -> Set[str]:
    asked = set[str]()
    for parent in info.lineage():
        context = context_of(parent.file)
        for method in parent.methods().values():
            asked |= asked_of_self(context.nodes_in(method))
    return asked


def let_set(
    run: Run,
    methods: dict[str, tuple[ClassInfo, ast.FunctionDef | ast.AsyncFunctionDef]],
    module: Instance,
    late: dict[str, str],
) -> None:
    """Run the methods of a module that set what others read, for that alone.

    When they are called, and with what, only their users know: what fails in them isn't told here.

    Args:
        methods: by their names, each with its class.
        late: the attributes that they set, each with the method.
    """
    for name in sorted(set(late.values())):
        owner, method = methods[name]
        attributes = [attribute for attribute, setter in late.items() if setter == name]
        with run.moods.within(Mood.EXPECTED):
            function = Function(method, module, owner, owner.closure)
            run_setter(run, function, Place.UNKNOWN, attributes)


def run_setter(run: Run, function: Function, place: Place, attributes: list[str]) -> None:
    """Run a method that sets attributes of its object which others read.

    Args:
        place: where tensors live that come in as arguments.
    """
    instance, owner = function.bound, function.owner
    assert isinstance(instance, Instance)
    assert owner is not None
    before = run.env
    run.env = before.for_entry()

    def call() -> None:
        run_entry(run, function, place, in_forward=False, keep=True)

    name = f"{owner.name}.{getattr(function.node, 'name', '')}"
    is_whole = guarded(run, function.node, name, call)
    behind, run.env = run.env, before
    if is_whole:
        _keep_set(run, instance, attributes, function.node, behind)


def _keep_set(
    run: Run, instance: Instance, attributes: Iterable[str], setter: ast.AST, behind: Env
) -> None:
    """Let an object keep what a method has set that was run.

    Only loaders and devices count, what is certainly on an accelerator, tensors that are made on
    the CPU, and objects of plain classes. Containers of such, or of loaders, count where the other
    methods only look something up.

    Args:
        setter: the method.
        behind: what holds behind it.
    """
    after = behind.heap[instance.ref].attrs
    known: dict[str, Value] = {}
    for name in attributes:
        options = [v for v in alternatives(after.get(name, UNSET)) if v not in _NOTHING]
        if options and (left := _left(run, instance, name, options, setter, behind)):
            known[name] = choice(left)
    if known:
        run.env.heap = {**behind.heap, **run.env.heap}
        obj = run.obj(instance)
        kept = replace(obj, certain=obj.certain | (obj.shaky & known.keys()))
        run.update(instance, kept.with_attributes({**obj.attrs, **known}))


def _left(
    run: Run, instance: Instance, name: str, options: list[Value], setter: ast.AST, behind: Env
) -> list[Value]:
    """What an attribute may hold where others read it; nothing if that is not certain.

    Args:
        options: what the method has given it.
        setter: the method.
        behind: what holds behind it.
    """
    first = run.obj(instance).attrs.get(name, UNSET)
    if is_moved(run, first):
        is_left_there = all(_is_left_model(run, behind, each, setter) for each in options)
        if not is_left_there or instance.cls is None:
            return []
        owners = {parent.node for parent in instance.cls.lineage()}
        is_used = run.facts.derived(Staying).is_only_used(name, owners, setter)
        return options if is_used else []
    if first not in _NOTHING:  # it is read as it was built, or as the method has left it
        also = [first] if _is_made_on_host(first) else []
        return [*also, *options] if all(map(_is_made_on_host, options)) else []
    if all(_is_certain(behind, option) for option in options):
        return options
    holds = all(map(_holds_what_is_on_host, options))
    return options if holds and _only_looked_up(instance, name, setter) else []


def _is_left_model(run: Run, behind: Env, value: Value, setter: ast.AST) -> bool:
    """Whether a method itself has built a model on the CPU, and left it there."""
    obj = behind.heap.get(value.ref) if isinstance(value, Instance) else None
    if obj is None or obj.origin is None or not is_left(obj):
        return False
    return obj.origin.file is run.main and run.facts.syntax.scope(obj.origin.node) is setter


def _holds_what_is_on_host(value: Value) -> bool:
    """Whether a container holds loaders of batches on the host, or what is made there, alone."""
    held = value.held() if isinstance(value, (Mapping, Sequence)) else ()
    items = [v for item in held for v in alternatives(item) if v not in _NO_ITEM]
    return bool(items) and all(
        _gives_host(v) if isinstance(v, Loader) else _is_made_on_host(v) for v in items
    )


def _is_made_on_host(value: Value) -> bool:
    if not isinstance(value, Tensor) or value.place is not Place.HOST or value.registered:
        return False
    return value.origin is not None and value.origin.kind is OriginKind.FACTORY


def _only_looked_up(instance: Instance, attribute: str, setter: ast.AST) -> bool:
    """Whether no method but one may change what a container of a built object holds."""
    if instance.cls is None:
        return False
    return all(
        method is setter
        or name == "__init__"
        or is_looked_up(context_of(parent.file).nodes_in(method), attribute)
        for parent in instance.cls.lineage()
        for name, method in parent.methods().items()
    )


def _gives_host(loader: Loader) -> bool:
    parts = list(leaves(loader.batch))
    return all(isinstance(p, (Tensor, Bundle)) and p.place is Place.HOST for p in parts)


def _is_certain(behind: Env, value: Value) -> bool:
    """Whether a value is no other one, and elsewhere, if the method is told something else."""
    if isinstance(value, Loader):
        return _gives_host(value)
    if isinstance(value, Instance):
        obj = behind.heap.get(value.ref)
        if obj is None or not obj.module:
            return obj is not None and value.cls is not None
        return obj.place is Place.ACCELERATOR
    if isinstance(value, DeviceValue):
        return value.place in (Place.HOST, Place.ACCELERATOR)
    is_there = isinstance(value, (Tensor, Bundle)) and value.place is Place.ACCELERATOR
    return is_there or _is_made_on_host(value)
