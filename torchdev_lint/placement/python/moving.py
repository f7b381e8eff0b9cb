"""Moving modules in place, with all modules that are registered in them."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import HOLDERS, Obj, is_left
from torchdev_lint.placement.domain.values import Instance, Place, alternatives
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def move_object(run: Run, instance: Instance, place: Place, by_code: bool = True) -> None:
    """Move a module in place, with all modules that are registered in it.

    Args:
        by_code: whether the code itself says so, and where it moves it.
    """
    moved_now = by_code and (place is Place.ACCELERATOR or place is Place.NAMED)
    kept = by_code and place is Place.HOST
    pending, changed = [instance], dict[int, Obj]()
    while pending:
        current = pending.pop()
        if current.ref in changed:
            continue
        obj = run.obj(current)
        origin = None if is_left(obj) else obj.origin
        changed[current.ref] = replace(
            obj, place=place, origin=origin, was_moved=moved_now, kept=kept
        )
        run.budget.visited(len(obj.attrs))
        pending += [part for part in registered_in(obj) if run.obj(part).module]
    run.budget.joined(len(changed) - 1)
    run.put(changed)


def registered_in(obj: Obj) -> Iterator[Instance]:
    """Yield what a module holds so that it is a part of it, if it is a module itself."""
    for name, value in obj.attrs.items():
        for option in alternatives(value):
            if isinstance(option, Instance):
                yield option
            elif name in HOLDERS and isinstance(option, (Sequence, Mapping)):
                yield from _instances(option)


def _instances(value: Sequence | Mapping) -> list[Instance]:
    if isinstance(value, Mapping):
        items = (*(item for _, item in value.items), value.rest)
    else:
        items = value.items if value.items is not None else (value.element,)
    options = [option for item in items for option in alternatives(item)]
    return [option for option in options if isinstance(option, Instance)]
