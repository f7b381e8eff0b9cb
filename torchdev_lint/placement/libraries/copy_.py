"""copy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from torchdev_lint.placement.domain.frame import site_key
from torchdev_lint.placement.domain.heap import Obj, is_left
from torchdev_lint.placement.domain.isomorphism import parts_of, renamed, renamed_object
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import Instance, Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.libraries.torch_layers import module_origin
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

_NOTHING: Mapping[Origin, Origin | None] = MappingProxyType({})


@handles("copy.copy")
def _copy(call: Call) -> Value | None:
    value = call.get(0, "x")
    if isinstance(value, Instance):
        return call.run.allocate(_another(call.run.obj(value)), value.cls, value.library)
    return value


@handles("copy.deepcopy")
def _deepcopy(call: Call) -> Value | None:
    """Copy all objects that belong to a value: what moves one of the two leaves the other.

    What a call copies again, as in a loop, are the same objects to the analysis.
    """
    run, value = call.run, call.get(0, "x")
    if value is None:
        return None
    held = _objects_in(run, value)
    site, way = site_key(call.node, run.frames, None)
    to = {ref: run.reference_at((site, (*way, n))) for n, ref in enumerate(held)}
    made = _made_anew(call, value)
    copies = {
        to[ref]: renamed_object(_another(run.obj(old), made), to) for ref, old in held.items()
    }
    run.budget.joined(len(copies))
    run.put(copies)
    return renamed(value, to)


def _made_anew(call: Call, value: Value) -> dict[Origin, Origin | None]:
    """What has built a module that is copied before it was moved, and what has made its copy.

    In another file that is nothing in particular: the file at hand says what leads there.
    """
    obj = call.run.obj(value) if isinstance(value, Instance) else None
    if obj is None or obj.origin is None or not is_left(obj):
        return {}
    if call.run.is_elsewhere:
        return {obj.origin: None}
    made = module_origin(call.run, call.node, call.name, obj.place)
    return {} if made is None else {obj.origin: made}


def _another(obj: Obj, made: Mapping[Origin, Origin | None] = _NOTHING) -> Obj:
    """Return another object like one; where a module is that was only built is not followed.

    Args:
        made: what has made the copies of modules, by what has built these.
    """
    if obj.origin is not None and obj.origin in made:
        return replace(obj, origin=made[obj.origin])
    return replace(obj, place=Place.UNKNOWN, origin=None) if is_left(obj) else obj


def _objects_in(run: Run, value: Value) -> dict[int, Instance]:
    """The objects that a value is made of, with all that they hold."""
    found = dict[int, Instance]()
    pending = [value]
    while pending:
        part = pending.pop()
        if not isinstance(part, Instance):
            pending += parts_of(part)
        elif part.ref not in found:
            found[part.ref] = part
            attrs = run.obj(part).attrs
            run.budget.visited(len(attrs))
            pending += attrs.values()
    return found
