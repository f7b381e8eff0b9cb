"""Moving modules in place, with all modules that are registered in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchdev_lint.catalog.modules import COUNTING_LAYERS
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import (
    CONTAINED,
    HOLDERS,
    UNBUILT,
    Obj,
)
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Instance, Place, Tensor, alternatives
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

_LAYERS = "torch.nn."
_MOST_PARTS = 64
"""How many parts of modules are looked at."""
_TICKS = 8
"""What it takes to look at one."""


def move_object(
    run: Run,
    instance: Instance,
    place: Place,
    by_code: bool = True,
    put: Origin | None = None,
    by_others: bool = False,
) -> None:
    """Move a module in place, with all modules that are registered in it.

    Args:
        by_code: whether the code itself says so, and where it moves it.
        put: what puts it on one of several accelerators, if the code says on which one, or on the
            CPU.
        by_others: whether it is code out of sight that may move it.
    """
    moved_now = by_code and (place is Place.ACCELERATOR or place is Place.NAMED)
    kept = by_code and place is Place.HOST

    def put_there(obj: Obj) -> Obj:
        is_built = obj.origin is not None and obj.origin.kind is OriginKind.LAYER
        origin = obj.origin if is_built else put
        whole = obj.taking_along()
        return replace(
            whole,
            place=place,
            origin=origin,
            was_moved=moved_now,
            kept=kept,
            handed_out=by_others,
        )

    run.budget.joined(change_parts(run, instance, put_there) - 1)


def change_parts(run: Run, whole: Instance, change: Callable[[Obj], Obj | None]) -> int:
    """Change a module, and all modules that are registered in it.

    Args:
        change: gives what becomes of one; None leaves that, and what is in it, as it is.

    Returns:
        How many were changed.
    """
    pending, changed = [whole], dict[int, Obj]()
    while pending:
        current = pending.pop()
        obj = run.obj(current)
        new = None if current.ref in changed else change(obj)
        if new is not None:
            changed[current.ref] = new
            run.budget.visited(len(obj.attrs))
            pending += [part for part in registered_in(obj) if run.obj(part).module]
    run.put(changed)
    return len(changed)


def registered_in(obj: Obj) -> Iterator[Instance]:
    """Yield what a module holds so that it is a part of it, if it is a module itself."""
    for name, value in obj.attrs.items():
        for option in alternatives(value):
            if isinstance(option, Instance):
                yield option
            elif name in HOLDERS and isinstance(option, (Sequence, Mapping)):
                yield from _instances(option)


def parts_of(run: Run, held: list[Instance]) -> list[Instance] | None:
    """Return the parts of modules, whatever these are part of; None if not all of them are known.

    Args:
        held: the modules, which are among them.
    """
    found: dict[int, Instance] = {}
    pending = list(held)
    while pending:
        module = pending.pop()
        obj = run.obj(module)
        if UNBUILT in obj.attrs or len(found) > _MOST_PARTS:
            return None
        run.budget.visited(_TICKS)
        if module.ref not in found:
            found[module.ref] = module
            pending += [part for part in registered_in(obj) if run.obj(part).module]
    return list(found.values())


def place_of_all(run: Run, module: Instance) -> Place:
    """Return where a module is with all its parts.

    Nowhere for certain if one of them was moved before, or some of its state was made elsewhere.
    """
    obj = run.obj(module)
    if obj.place is not Place.HOST:
        return obj.place
    parts = parts_of(run, [module])
    if parts is None:
        parts = list(registered_in(obj))  # of these at least it is known where they are
    moved = any(map(_is_put_elsewhere, map(run.obj, parts)))
    return Place.UNKNOWN if moved else obj.place


def _is_put_elsewhere(obj: Obj) -> bool:
    """Whether a part is on a device, or has state that is."""
    kept = (v for v in obj.attrs.values() if isinstance(v, Tensor) and v.registered)
    return obj.place.is_device or any(tensor.place.is_device for tensor in kept)


def has_state(run: Run, module: Obj) -> bool:
    """Return whether a module certainly has parameters or buffers where it is, or its parts are.

    What was registered as it was handed over is where that was, until the module is moved.
    """
    pending, seen = [module], set[int]()
    while pending:
        obj = pending.pop()
        if obj.stateful and obj.attrs.keys() <= {CONTAINED}:
            return True
        run.budget.visited(len(obj.attrs))
        kept = [t for t in obj.attrs.values() if isinstance(t, Tensor) and t.registered]
        if kept and (obj.place is not Place.HOST or any(t.place is Place.HOST for t in kept)):
            return True
        parts = {part.ref: part for part in registered_in(obj) if part.ref not in seen}
        seen |= parts.keys()
        pending += [run.obj(part) for part in parts.values() if run.obj(part).module]
    return False


def has_axes(run: Run, module: Instance, buffers: bool = False) -> bool:
    """Return whether a module has parameters, all of which certainly have at least one axis.

    Those of PyTorch's layers have, whatever these are told.

    Args:
        buffers: whether all buffers are to have one as well.
    """
    pending, seen, found = [module], {module.ref}, False
    while pending:
        current = pending.pop()
        obj = run.obj(current)
        tensors = [t for t in obj.attrs.values() if isinstance(t, Tensor) and t.registered]
        parts = [part for part in registered_in(obj) if run.obj(part).module]
        is_layer = obj.stateful is True and not obj.attrs and current.library.startswith(_LAYERS)
        is_whole = obj.stateful is False or CONTAINED in obj.attrs or _is_in_view(current, obj)
        is_layer &= not (buffers and current.library in COUNTING_LAYERS)
        if not (is_layer or is_whole) or any(t.scalar is not False for t in tensors):
            return False
        found |= is_layer or bool(tensors)
        pending += [part for part in parts if part.ref not in seen]
        seen |= {part.ref for part in parts}
        run.budget.visited(len(obj.attrs))
    return found


def _is_in_view(module: Instance, obj: Obj) -> bool:
    """Whether all that registers something in a module has been run."""
    if module.cls is None or UNBUILT in obj.attrs:
        return False
    return module.cls.library_bases() == ["torch.nn.Module"] and not any(
        parent.opaque for parent in module.cls.lineage()
    )


def _instances(value: Sequence | Mapping) -> list[Instance]:
    if isinstance(value, Mapping):
        items = (*(item for _, item in value.items), value.rest)
    else:
        items = value.items if value.items is not None else (value.element,)
    options = [option for item in items for option in alternatives(item)]
    return [option for option in options if isinstance(option, Instance)]
