"""What is in sight where a tensor or layer is made, and tells the device it belongs on."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from torchdev_lint.catalog.modules import WITH_WEIGHT
from torchdev_lint.placement.domain.values import (
    Bundle,
    Const,
    DeviceValue,
    Instance,
    Place,
    Scalar,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import has_device
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.facts.events import View

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.classes import ClassInfo
    from torchdev_lint.placement.domain.heap import Obj
    from torchdev_lint.placement.run import Run


_Visible: TypeAlias = "Iterable[tuple[str, Value]]"
"""Variables, and what they hold."""
_Kinds: TypeAlias = "type[Tensor] | tuple[type[Tensor], type[Bundle]]"
_NAMED_DEVICE = (DeviceValue, Const, Scalar, Unknown)
"""What a variable of that name may hold: what it is by default is often text."""
_TICKS = 8
"""What it takes to look at one variable, or one attribute of one."""
_MAX_VARIABLES = 64
"""Of how many of a scope's variables it is told, of the first and of the last ones.

The device is among the first in a script, and what is met among the last.
"""
_MAX_STATE = 48
"""Of how many attributes of a module it is told that they hold its device: any of them does."""


def note_view(run: Run, node: ast.AST) -> None:
    """Remember for a place in `forward` what is on the accelerator there.

    Several calls may lead to the place; what some of them say is something else is left out.
    """
    visible = list(_visible(run))
    run.budget.visited(_TICKS * (len(visible) + len(run.env.paths)))
    run.note(
        View(
            node,
            devices=tuple(_devices(visible)),
            tensors=tuple(_tensors(run, visible)),
            state=tuple(_state(run, visible)),
            refuted=frozenset(_refuted(visible)),
        )
    )


def _visible(run: Run) -> _Visible:
    own = run.env.names
    for name in _outermost(own):
        yield name, own[name]
    for outer in run.frame.closure[:-1]:
        for name in _outermost(outer.env.names):
            value = run.read_outer(outer, name)
            if name not in own and value is not None:
                yield name, value


def _outermost(names: dict[str, Value]) -> Iterable[str]:
    """The first and the last variables of a scope, in their order."""
    if len(names) <= 2 * _MAX_VARIABLES:
        return list(names)
    last = list(islice(reversed(names), _MAX_VARIABLES))
    return [*islice(names, _MAX_VARIABLES), *reversed(last)]


def _devices(visible: _Visible) -> Iterator[str]:
    """Variables that hold the device, by whatever default."""
    for name, value in visible:
        kinds = _NAMED_DEVICE if name == "device" else DeviceValue
        if all(isinstance(option, kinds) for option in alternatives(value)):
            place = place_named(value, ast.Name(id=name, ctx=ast.Load()))
            if place is not None and place.is_device:
                yield name


def _tensors(run: Run, visible: _Visible) -> Iterator[str]:
    """Variables and their parts that certainly hold tensors on the accelerator.

    What a module gave is one if it is used as one.
    """
    optional = run.file.optional_parameters(run.frame.node)
    for name, value in visible:
        if name in optional or not _is_on_accelerator(value, (Tensor, Bundle)):
            continue
        if _is_on_accelerator(value, Tensor) or _is_used_as_tensor(run, name):
            yield name
    for path, value in run.env.paths.items():
        if _is_on_accelerator(value, Tensor):
            yield path


def _refuted(visible: _Visible) -> Iterator[str]:
    """Variables that certainly are no tensors, or are left on the host by `forward` itself.

    What `forward` is called with may be on the host where the whole model is.
    """
    for name, value in visible:
        for option in alternatives(value):
            if isinstance(option, Tensor):
                on_host = option.place is Place.HOST
                if on_host and (option.origin is None or option.origin.in_forward):
                    yield name
            elif not isinstance(option, (Unknown, Bundle)):
                yield name


def _is_on_accelerator(value: Value, kinds: _Kinds) -> bool:
    """Whether a value is certainly of some kinds, and on the accelerator."""
    for option in alternatives(value):
        if not isinstance(option, kinds) or not option.place.is_device:
            return False
    return True


def _is_used_as_tensor(run: Run, name: str) -> bool:
    uses = run.uses_of(name)
    return uses is not None and uses.can_only_be_tensor() and not (uses.picked or uses.plain)


def _state(run: Run, visible: _Visible) -> Iterator[str]:
    """Parameters, buffers and devices of the modules in sight.

    One that code outside of it knows to be on the host is not asked: what is meant is elsewhere.
    """
    for name, value in visible:
        if not isinstance(value, Instance) or not run.obj(value).module:
            continue
        if run.obj(value).place is Place.HOST and not run.frame.in_forward:
            continue
        if value.cls is None:
            if _has_weight(value):
                yield f"{name}.weight.device"
            continue
        if _has_device(value.cls):
            yield f"{name}.device"
        yield from _state_of_attributes(run, name, value)


def _state_of_attributes(run: Run, name: str, module: Instance) -> tuple[str, ...]:
    """The state that the attributes of a module hold, gone through once while no object changes."""
    frame, heap = run.frame, run.env.heap
    if frame.state_in_view is None or frame.state_in_view[0] is not heap:
        frame.state_in_view = heap, {}
    known, key = frame.state_in_view[1], (name, module.ref)
    if key not in known:
        known[key] = tuple(_attribute_state(run, name, run.obj(module)))
    run.budget.visited(len(known[key]))
    return known[key]


def _attribute_state(run: Run, name: str, obj: Obj) -> Iterator[str]:
    """The state that the attributes of a module of the file hold."""
    run.budget.visited(_TICKS * len(obj.attrs))
    stateful, told = False, 0
    for attr, part in obj.attrs.items():
        if attr.startswith("*") or obj.is_shaky(attr) or not attr.isidentifier():
            continue
        if isinstance(part, Tensor) and part.registered and told < _MAX_STATE:
            told += 1
            yield f"{name}.{attr}.device"
        if isinstance(part, Instance) and run.obj(part).module:
            stateful |= run.obj(part).stateful is True
            if _has_weight(part) and told < _MAX_STATE:
                told += 1
                yield f"{name}.{attr}.weight.device"
    if stateful:
        yield f"next({name}.parameters()).device"


def _has_weight(module: Instance) -> bool:
    return module.library.rpartition(".")[2] in WITH_WEIGHT


def _has_device(info: ClassInfo) -> bool:
    """Whether instances have a `device`: from a library, or as a property of their own."""
    return has_device(info) or info.lookup("device") is not None
