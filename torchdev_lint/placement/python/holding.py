"""What an object has kept since before the function at hand was called."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.heap import UNBUILT, Heap, settle
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.joins import as_kept, choice, leaves
from torchdev_lint.placement.domain.origins import Holder, OriginKind
from torchdev_lint.placement.domain.values import Instance, Tensor, Value, alternatives
from torchdev_lint.placement.evidence.holding import assigned_elsewhere, holder_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short

_MOST_WITHIN = 3
"""How deep objects that a call has built are looked for in the one that it gives."""


def with_holder(run: Run, base: Instance, name: str, value: Value) -> Value:
    """Note of what an object has had since before the first function was called who keeps it.

    A module that was moved has left behind what it had before, also if that function built it.
    """
    obj = run.obj(base)
    if name in obj.late:
        return value  # it is registered: whoever moves the module takes it along
    entered = run.frames[1].entry_heap.get(base.ref) if len(run.frames) > 1 else None
    if entered is None and obj.module and obj.was_moved:
        entered = run.frame.entry_heap.get(base.ref)
    if entered is None or _is_made_later(run, base, value):
        return value
    if (
        UNBUILT in entered.attrs
        and base.cls is not None
        and name not in assigned_elsewhere(base.cls)
    ):
        # It was built since, for what is asked of it, as it had been before.
        return as_kept(value, holder_of(obj, base.cls, name, value))
    if name not in entered.attrs:
        return value
    if entered.attrs[name] is obj.attrs[name]:
        holder = holder_of(obj, base.cls, name, value)
        if run.entry is None and obj.module is False:  # whatever sets it again, is run as well
            holder = replace(holder, followed=True)
        return as_kept(value, holder)
    earlier = entered.attrs[name]
    holder = Holder(name, None, leaves_behind=False)
    if base.cls is not None and name not in assigned_elsewhere(base.cls):
        # It was computed anew of itself: `if x.dtype is torch.half: self.mean = self.mean.half()`.
        holder = holder_of(obj, base.cls, name, settle(entered, earlier))
    kept = alternatives(earlier)
    return choice([as_kept(o, holder) if o in kept else o for o in alternatives(value)])


def _is_made_later(run: Run, base: Instance, value: Value) -> bool:
    """Whether a module of another file has it of a method that the file at hand called since."""
    if base.cls is None or base.cls.file is run.main or not run.obj(base).module:
        return False
    origins = (option.origin for option in alternatives(value) if isinstance(option, Tensor))
    return any(o is not None and o.file is run.main and o.elsewhere is not None for o in origins)


def read_here(run: Run, value: Value, node: ast.expr) -> Value:
    """Return what an attribute gives to the code that reads it.

    What was made in another file is brought by the expression that reads it: there it can be moved.
    """
    if run.is_elsewhere or not any(_is_of_other_file(run, leaf) for leaf in leaves(value)):
        return value
    note_view(run, node)
    return _brought(run, value, node, None)


def bring_all_kept(run: Run, instance: Instance, node: ast.AST, before: Heap) -> None:
    """Have what an object of another file's class keeps come from the call that builds it.

    With it goes what the objects keep that the call has built for it, but for those of modules.

    Args:
        before: the objects that were there before the call.
    """
    pending, seen = [(instance, _MOST_WITHIN)], set[int]()
    while pending:
        each, depth = pending.pop()
        if each.ref in seen:
            continue
        seen.add(each.ref)
        _bring_kept(run, each, node)
        obj = run.obj(each)
        if depth and not obj.module:
            run.budget.visited(len(obj.attrs))
            held = (part for value in obj.attrs.values() for part in alternatives(value))
            built = (part for part in held if isinstance(part, Instance) and part.ref not in before)
            pending += [(part, depth - 1) for part in built]


def _bring_kept(run: Run, instance: Instance, node: ast.AST) -> None:
    """Have what one object keeps come from a call.

    The call is where the file at hand brings that in. What a `forward` builds it hands on at once,
    and of a class that is told a device its own file tells. A module that was moved leaves behind
    what one of its methods makes later, also in the place of a buffer.
    """
    obj = run.obj(instance)
    if run.is_elsewhere or run.frame.in_forward or not isinstance(node, ast.Call):
        return
    if obj.module is not False and not obj.was_moved:
        return
    run.budget.visited(len(obj.attrs))
    brought: dict[str, Value] = {}
    for name, value in obj.attrs.items():
        if not _holds_any(value, lambda held: _is_made_in_other_file(run, held)):
            continue
        if obj.module:
            brought[name] = _brought(run, value, node, name, short(node.func), later=True)
        else:
            holder = holder_of(obj, instance.cls, name, value)
            if not holder.told_device:
                kept = as_kept(value, replace(holder, stays=True, followed=True))
                brought[name] = _brought(run, kept, node, name, short(node.func))
    if brought:
        run.update(instance, obj.with_attributes({**obj.attrs, **brought}))


def _holds_any(value: Value, asked: Callable[[Value], bool], depth: int = 4) -> bool:
    """Whether a value, or one that it holds in lists and dicts, is as asked for."""
    if asked(value):
        return True
    return depth > 0 and any(_holds_any(part, asked, depth - 1) for part in parts_of(value))


def _is_of_other_file(run: Run, value: Value) -> bool:
    """Whether a tensor that an object keeps was made in another file."""
    origin = value.origin if isinstance(value, Tensor) else None
    if origin is None or not _is_made_in_other_file(run, value):
        return False
    holder = origin.holder
    return holder is not None and (holder.leaves_behind or holder.stays)


def _is_made_in_other_file(run: Run, value: Value) -> bool:
    """Whether a tensor is on the host, made in another file."""
    origin = value.origin if isinstance(value, Tensor) else None
    return (
        origin is not None
        and origin.file is not run.main
        and origin.kind is OriginKind.FACTORY
        and origin.keeper is None
    )


def _brought(
    run: Run, value: Value, node: ast.expr, key: object, label: str = "", later: bool = False
) -> Value:
    """A value whose tensors come from an expression.

    Args:
        key: which part of what that gives it is.
        label: how to call what makes it; empty for what has made it.
        later: whether the object was moved before that, so that nothing keeps them with it.
    """
    if not isinstance(value, Tensor):
        parts = parts_of(value)
        if not parts:
            return value
        brought = [
            _brought(run, part, node, (key, i), label, later) for i, part in enumerate(parts)
        ]
        return rebuilt(value, brought)
    origin = value.origin
    is_of_other = _is_made_in_other_file if later else _is_of_other_file
    if origin is None or not is_of_other(run, value):
        return value
    here = replace(
        run.made(node, OriginKind.FACTORY, label or origin.label),
        in_forward=False,
        key=key,
        count=origin.count,
        elsewhere=run.site(origin.file, origin.node),
        holder=None if later else origin.holder,
    )
    return replace(value, origin=here)
