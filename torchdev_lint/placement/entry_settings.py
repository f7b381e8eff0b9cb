"""What methods set for those that are called after them.

A trainer's `setup_data` makes the loader that its `train_epoch` goes through. `__init__` has left
the attribute unset, or None, with which the loop would fail on every machine.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from torchdev_lint.catalog.methods import TO_ACCELERATOR
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.joins import choice, leaves
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    UNSET,
    Bundle,
    DeviceValue,
    Instance,
    Loader,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.own_attributes import asked_of_self, is_looked_up

BEFORE_TESTS = frozenset({"setUp", "asyncSetUp", "setup_method"})
"""Methods that unittest and pytest call before each test of a class."""
_MOVES = TO_ACCELERATOR | {"to"}
_NOTHING = (NONE, UNSET)
_NO_ITEM = (NONE, UNSET, MISSING)


def set_later(run: Run, info: ClassInfo, instance: Instance, methods: Set[str]) -> dict[str, str]:
    """Return the attributes that one method gives an object for others, with that method.

    Left out is what some method asks for whether it is there: the object may do without it.

    Args:
        info: its class, which is no module.
        methods: the methods that are run.
    """
    attributes, setters, read = run.obj(instance).attrs, dict[str, list[str]](), set[str]()
    for parent in info.lineage():
        context = context_of(parent.file)
        for name, method in parent.methods().items():
            reads, sets = context.own_attributes(method)
            for attribute in sets if name != "__init__" else ():
                setters.setdefault(attribute, []).append(name)
            read |= reads
    late = {
        attribute: names[0]
        for attribute, names in setters.items()
        if len(names) == 1
        and names[0] in methods
        and attribute in read
        and attributes.get(attribute, UNSET) in _NOTHING
        and info.lookup(attribute) is None
    }
    asked = _asked(info) if late else ()
    return {attribute: setter for attribute, setter in late.items() if attribute not in asked}


def _asked(info: ClassInfo) -> Set[str]:
    asked = set[str]()
    for parent in info.lineage():
        context = context_of(parent.file)
        for method in parent.methods().values():
            asked |= asked_of_self(context.nodes_in(method))
    return asked


def moving(info: ClassInfo, wanted: Set[str]) -> set[str]:
    """The methods that move something and set an attribute that one of those that are run reads.

    Args:
        wanted: the methods that are run.
    """
    context, methods = context_of(info.file), info.methods()
    read = set[str]().union(
        *(context.own_attributes(methods[n])[0] for n in wanted & methods.keys())
    )
    return {
        name
        for name, method in methods.items()
        if not read.isdisjoint(context.own_attributes(method)[1])
        and any(isinstance(n, ast.Attribute) and n.attr in _MOVES for n in context.nodes_in(method))
    }


def keep_set(
    run: Run, instance: Instance, attributes: Iterable[str], setter: ast.AST, behind: Env
) -> None:
    """Let an object keep what a method has set that was run.

    Only loaders and devices count, and what is certainly on an accelerator: what is on the CPU may
    be moved later. Containers of loaders count where the other methods only look something up.

    Args:
        setter: the method.
        behind: what holds behind it.
    """
    after = behind.heap[instance.ref].attrs
    known: dict[str, Value] = {}
    for name in attributes:
        options = [v for v in alternatives(after.get(name, UNSET)) if v not in _NOTHING]
        if options and all(_is_certain(behind, option) for option in options):
            known[name] = choice(options)
        elif options and all(map(_holds_loaders, options)):
            if _only_looked_up(instance, name, setter):
                known[name] = choice(options)
    if known:
        run.env.heap = {**behind.heap, **run.env.heap}
        obj = run.obj(instance)
        kept = replace(obj, certain=obj.certain | (obj.shaky & known.keys()))
        run.update(instance, kept.with_attributes({**obj.attrs, **known}))


def _holds_loaders(value: Value) -> bool:
    """Whether a container holds loaders of batches on the host, and nothing else."""
    held = value.held() if isinstance(value, (Mapping, Sequence)) else ()
    items = [v for item in held for v in alternatives(item) if v not in _NO_ITEM]
    return bool(items) and all(isinstance(v, Loader) and _gives_host(v) for v in items)


def _only_looked_up(instance: Instance, attribute: str, setter: ast.AST) -> bool:
    """Whether no method but one may change what a container of an object holds."""
    if instance.cls is None:
        return False
    return all(
        method is setter or is_looked_up(context_of(parent.file).nodes_in(method), attribute)
        for parent in instance.cls.lineage()
        for method in parent.methods().values()
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
        return obj is not None and obj.module and obj.place is Place.ACCELERATOR
    if isinstance(value, DeviceValue):
        return value.place in (Place.HOST, Place.ACCELERATOR)
    return isinstance(value, (Tensor, Bundle)) and value.place is Place.ACCELERATOR
