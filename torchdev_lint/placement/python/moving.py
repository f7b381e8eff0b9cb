"""Moving modules in place, with all modules that are registered in them."""

from __future__ import annotations

from dataclasses import replace

from torchdev_lint.placement.domain.heap import CONTAINED, Obj
from torchdev_lint.placement.domain.values import (
    Instance,
    Mapping,
    Place,
    Sequence,
    alternatives,
)
from torchdev_lint.placement.run import Run


def move_object(run: Run, instance: Instance, place: Place, by_code: bool = True) -> None:
    """Move a module in place, with all modules that are registered in it.

    Args:
        by_code: whether the code itself says so, and where it moves it.
    """
    moved_now = by_code and place is Place.ACCELERATOR
    kept = by_code and place is Place.HOST
    pending, changed = [instance], dict[int, Obj]()
    while pending:
        current = pending.pop()
        if current.ref in changed:
            continue
        obj = run.obj(current)
        changed[current.ref] = replace(obj, place=place, was_moved=moved_now, kept=kept)
        run.budget.visited(len(obj.attrs))
        for name, value in obj.attrs.items():
            for option in alternatives(value):
                if isinstance(option, Instance) and run.obj(option).module:
                    pending.append(option)
                elif name == CONTAINED and isinstance(option, (Sequence, Mapping)):
                    pending.extend(_instances(option))
    run.budget.joined(len(changed) - 1)
    run.put(changed)


def _instances(value: Sequence | Mapping) -> list[Instance]:
    if isinstance(value, Mapping):
        items = (*(item for _, item in value.items), value.rest)
    else:
        items = value.items if value.items is not None else (value.element,)
    options = [option for item in items for option in alternatives(item)]
    return [option for option in options if isinstance(option, Instance)]
