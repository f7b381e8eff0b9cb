"""copy."""

from __future__ import annotations

from dataclasses import replace

from torchdev_lint.placement.domain.heap import Obj, is_left
from torchdev_lint.placement.domain.isomorphism import parts_of, renamed, renamed_object
from torchdev_lint.placement.domain.values import Instance, Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.run import Run


@handles("copy.copy")
def _copy(call: Call) -> Value | None:
    value = call.get(0, "x")
    if isinstance(value, Instance):
        return call.run.allocate(_another(call.run.obj(value)), value.cls, value.library)
    return value


@handles("copy.deepcopy")
def _deepcopy(call: Call) -> Value | None:
    """Copy all objects that belong to a value: what moves one of the two leaves the other."""
    run, value = call.run, call.get(0, "x")
    if value is None:
        return None
    held = _objects_in(run, value)
    first = run.next_ref + 1
    to = {ref: first + number for number, ref in enumerate(held)}
    run.next_ref += len(to)
    copies = {to[ref]: renamed_object(_another(run.obj(old)), to) for ref, old in held.items()}
    run.budget.joined(len(copies))
    run.put(copies)
    return renamed(value, to)


def _another(obj: Obj) -> Obj:
    """Return another object like one; where a module is that was only built is not followed."""
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
