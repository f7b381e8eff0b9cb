"""What is made once, when a file is imported, and kept for all that use it.

A variable of a module or class keeps it, or a parameter whose default it is. Nobody moves it with a
model. The function that reads it is where it can be moved: for what follows, such a reading is
where the tensor comes from.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.joins import choice, placeless
from torchdev_lint.placement.domain.origins import Keeper, Keeping, Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Choice,
    Instance,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.rebinding_around import may_be_replaced_around
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

AT_IMPORT = (ast.Module, ast.ClassDef)
"""Code that is run once."""
_PERHAPS_KEPT = frozenset({Tensor, Choice})
"""What may be a tensor that is kept from the import on."""
_MAX_DEPTH = 3
"""How deep containers are looked into."""


def kept(run: Run, variable: str, value: Value) -> Value:
    """Return what a variable of the module or class at hand holds, as that keeps it.

    What the file itself may replace is not kept, nor what a class holds that a function makes.
    """
    if run.frame.scope or not isinstance(value, (Tensor, Choice, Sequence, Mapping)):
        return value
    of_class = isinstance(run.frame.node, ast.ClassDef)
    kind = Keeping.CLASS if of_class else Keeping.MODULE
    keeper = Keeper(variable, kind, run.frame.file)
    rebinding = run.file.rebinding_in(run.module.node)
    may_change = variable in rebinding.parts and _can_change(value)
    if may_change or rebinding.may_replace(keeper):
        return released(value)

    def keep(tensor: Tensor, inside: bool) -> Tensor:
        new = _kept_by(tensor, keeper, inside)
        if new is not tensor:
            run.budget.joined(1)
        return new

    return _each_tensor(value, keep)


def kept_default(value: Value, parameter: str, file: File) -> Value:
    """Return what a parameter holds by default, which is made when its function is defined.

    Args:
        file: the file of the function.
    """
    keeper = Keeper(parameter, Keeping.DEFAULT, file)
    return _each_tensor(value, lambda tensor, inside: _kept_by(tensor, keeper, inside))


def lasting(module: Frame, variable: str, value: Value) -> Value:
    """Return what is known of a variable of another file, of which one statement was run.

    Others may give it another value, or put more into it.
    """
    rebinding = context_of(module.file).rebinding_in(module.node)
    if rebinding.may_replace(Keeper(variable, Keeping.MODULE, module.file)):
        if any(isinstance(option, Instance) for option in alternatives(value)):
            return UNKNOWN
        return _each_tensor(value, lambda tensor, inside: placeless(tensor))
    return UNKNOWN if variable in rebinding.parts and _can_change(value) else value


def _can_change(value: Value) -> bool:
    """Whether a value may get other parts."""
    return any(
        isinstance(option, Mapping)
        or (isinstance(option, Sequence) and option.kind is not SequenceKind.TUPLE)
        for option in alternatives(value)
    )


def _kept_by(tensor: Tensor, keeper: Keeper, inside: bool) -> Tensor:
    origin = tensor.origin
    if tensor.place is not Place.HOST or origin is None:
        return tensor
    made = origin.made  # whatever has read it on its way
    if made.kind is not OriginKind.FACTORY or made.in_forward:
        return tensor
    keeper = keeper if keeper.inside is inside else replace(keeper, inside=inside)
    if origin is made and made.keeper == keeper:
        return tensor
    return replace(tensor, origin=replace(made, keeper=keeper))


def _each_tensor(value: Value, change: Callable[[Tensor, bool], Value], depth: int = 0) -> Value:
    """Change the tensors that a value is, may be or holds.

    Args:
        change: is told of each of them whether something else holds it.
    """
    if isinstance(value, Tensor):
        return change(value, depth > 0)
    if isinstance(value, Choice):
        return choice([_each_tensor(option, change, depth) for option in value.options])
    if not isinstance(value, (Sequence, Mapping)) or depth == _MAX_DEPTH:
        return value
    old = parts_of(value)
    parts = [_each_tensor(part, change, depth + 1) for part in old]
    is_same = all(new is part for new, part in zip(parts, old, strict=True))
    return value if is_same else rebuilt(value, parts)


def read(run: Run, value: Value, node: ast.expr) -> Value:
    """Return what reading a variable gives, or a part of one, wherever in the code that is.

    Args:
        value: what the variable holds.
        node: the expression that reads it.
    """
    if type(value) not in _PERHAPS_KEPT:
        return value
    options = alternatives(value)
    if not any(map(_is_kept, options)):
        return value
    if isinstance(run.frame.node, AT_IMPORT):
        return _each_tensor(value, lambda tensor, inside: _in_hand(tensor))
    if run.is_elsewhere:
        return value
    note_view(run, node)
    return choice([_read(run, o, node) if isinstance(o, Tensor) else o for o in options])


def _is_kept(value: Value) -> bool:
    """Whether a value is kept from the import on, and was not read since."""
    if not isinstance(value, Tensor) or value.origin is None or value.origin.constant is not None:
        return False
    return value.origin.keeper is not None and not value.origin.keeper.in_hand


def _in_hand(tensor: Tensor) -> Tensor:
    origin = tensor.origin
    if origin is None or origin.keeper is None or origin.keeper.in_hand:
        return tensor
    return replace(tensor, origin=replace(origin, keeper=replace(origin.keeper, in_hand=True)))


def _read(run: Run, tensor: Tensor, node: ast.expr) -> Tensor:
    origin = tensor.origin
    if origin is None or origin.keeper is None or not _is_kept(tensor):
        return tensor
    is_alias = isinstance(node, ast.Attribute) and node.attr != origin.keeper.name
    if run.builds_module or is_alias:  # an attribute holds it
        return _released(tensor)
    if run.file.rebinding_in(run.module.node).may_replace(origin.keeper):
        return replace(tensor, place=Place.UNKNOWN, origin=None)
    return replace(tensor, origin=reading(run, origin, node))


def reading(run: Run, origin: Origin, node: ast.expr) -> Origin:
    """Return where a tensor comes from that a variable keeps, for the code that reads it.

    Args:
        origin: where it is made.
        node: the expression that reads the variable, or brings what does.
    """
    is_here = origin.file is run.main
    return replace(
        run.made(node, OriginKind.CONSTANT, origin.label),
        count=origin.count,
        elsewhere=None if is_here else run.site(origin.file, origin.node),
        keeper=origin.keeper,
        constant=origin,
    )


def released(value: Value) -> Value:
    """Return what an object's attribute holds: it is the object that keeps it from there on."""
    return _each_tensor(value, lambda tensor, inside: _released(tensor))


def _released(tensor: Tensor) -> Tensor:
    origin = tensor.origin
    if origin is None or origin.keeper is None:
        return tensor
    return replace(tensor, origin=replace(origin.made, keeper=None))


def is_replaced_elsewhere(run: Run, origin: Origin) -> bool:
    """Return whether another file of the project may replace what a variable keeps.

    It is asked where something meets: then no more than a few files have to be read.

    Args:
        origin: the tensor's.
    """
    keeper = origin.keeper
    if keeper is None or keeper.kind is Keeping.DEFAULT or not context_of(keeper.file).path:
        return False
    known = context_of(run.main).replaced_elsewhere
    if keeper not in known:
        known[keeper] = may_be_replaced_around(context_of(keeper.file).path, keeper)
    return known[keeper]
