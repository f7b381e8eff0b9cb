"""Where moves go; moves and casts of tensors whose result is kept."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import TO_ACCELERATOR
from torchdev_lint.placement.defects.copies import note_copy
from torchdev_lint.placement.defects.doubles import is_double
from torchdev_lint.placement.defects.leaves import note_leaf
from torchdev_lint.placement.defects.numbers import numbered
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.frame import innermost_of
from torchdev_lint.placement.domain.joins import moved
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    Bundle,
    Const,
    DeviceValue,
    DtypeValue,
    Method,
    Place,
    Tensor,
    Unknown,
    Value,
)
from torchdev_lint.placement.evidence.classes import has_device
from torchdev_lint.placement.evidence.devices import is_setting
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.facts.events import PartMoved, TypedForHost
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.cuda import is_plain_move
from torchdev_lint.syntax.names import dotted, short


def move(
    run: Run, tensor: Tensor | Bundle, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate a kept `.to()`, `.cuda()`, `.type()` or the like."""
    place = _target(run, name, arguments, node)
    if place is None or (name == "type" and place is tensor.place):
        if place is Place.HOST and tensor.origin is not None:
            run.note(TypedForHost(tensor.origin, node))
        return _cast(tensor, arguments)
    if _follows_itself(tensor, arguments.get(0, "other")):
        return tensor
    if tensor.origin is not None and tensor.origin.kind is OriginKind.BATCH:
        run.note(PartMoved(tensor.origin))
        if place is Place.GIVEN and tensor.place is Place.HOST and run.supposing:
            place = Place.ACCELERATOR  # who moves a batch has a model there that isn't on the CPU
    note_leaf(run, tensor, place, node)
    there = moved(tensor, place)
    if place is Place.ACCELERATOR:
        return numbered(run, there, arguments.get(0, "device"), node)
    if place is Place.HOST and Mood.DOUBT not in run.moods and says_so(name, arguments):
        assert isinstance(there, (Tensor, Bundle))
        note_copy(run, node, tensor, arguments)
        return replace(there, origin=_brought_by(run, arguments, node))
    followed = arguments.get(0, "other" if name == "type_as" else "device")
    if place is Place.HOST and (tensor.place is not Place.ACCELERATOR or _is_left(followed)):
        return _as_followed(there, followed)
    return there


def _brought_by(run: Run, arguments: Arguments, node: ast.Call) -> Origin:
    """What brings something to the CPU: the move, or the call that leaves its device at a default.

    The default is one of another file, whose function the file at hand calls without a device.
    """
    made, call, frame = run.made(node, OriginKind.BROUGHT, short(node)), run.crossing, run.frame
    device = arguments.node(0, "device")
    if not run.is_elsewhere or call is None or not isinstance(device, ast.Name):
        return made
    if frame.site is not call or frame.crossing is None or not frame.crossing.leaves_out(device.id):
        return made
    nodes = context_of(frame.file).nodes_in(frame.node)
    names = (part for part in nodes if isinstance(part, ast.Name) and part.id == device.id)
    if not all(isinstance(name.ctx, ast.Load) for name in names):
        return made  # it is told in the function itself
    caller = innermost_of(run.frames, run.main)
    return replace(
        made,
        node=call,
        file=caller.file,
        label=device.id,
        scope=caller.scope,
        elsewhere=run.site(frame.file, node),
        by_default=True,
    )


def moved_to_left(there: Bundle, followed: Value | None) -> Bundle:
    """Return what was moved to where something is that a module has left behind: mended with that.

    Args:
        there: what was moved, of which nothing else is known.
        followed: where it was moved to.
    """
    if there.place is not Place.HOST or not _is_left(followed):
        return there
    assert isinstance(followed, (Tensor, DeviceValue))
    return replace(there, origin=followed.origin, entered=followed.entered)


def _is_left(followed: Value | None) -> bool:
    """Whether a module keeps what is followed, and leaves it on the host when it is moved."""
    origin = followed.origin if isinstance(followed, (Tensor, DeviceValue)) else None
    return origin is not None and origin.holder is not None and origin.holder.leaves_behind


def _as_followed(there: Value, followed: Value | None) -> Value:
    """What was moved to where something is that was made on the host: mended with that."""
    if isinstance(followed, (Tensor, Bundle, DeviceValue)) and followed.origin is not None:
        assert isinstance(there, (Tensor, Bundle))
        return replace(there, origin=followed.origin, entered=followed.entered)
    return there


def _cast(tensor: Tensor | Bundle, arguments: Arguments) -> Tensor | Bundle:
    """What stays where it is, and may get another dtype."""
    if not isinstance(tensor, Tensor) or tensor.place is not Place.HOST:
        return tensor
    return replace(tensor, double=is_double(tensor, arguments))


def says_so(name: str, arguments: Arguments) -> bool:
    """Return whether a move says itself where it goes, and doesn't go where something else is."""
    if name == "cpu":
        return True
    value, node = arguments.get(0, "device"), arguments.node(0, "device")
    if isinstance(value, (Tensor, Bundle)):
        return name == "type"
    if isinstance(node, ast.Attribute) and not _is_kept_device(value):
        return name == "type"
    return name != "type_as"


def _is_kept_device(value: Value | None) -> bool:
    """Whether an attribute holds a device that code has put there, and is not that of a tensor."""
    if isinstance(value, DeviceValue):
        return value.origin is None and value.asked is None
    return isinstance(value, Const)


def destination(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Place | None:
    """Return where a method moves a module to, as far as it is told; None if it is only a cast."""
    if name == "cpu":
        return Place.HOST
    if name == "type":
        return _target(run, name, arguments, node)
    if name not in {"to", "to_empty"}:
        return _after_its_name(run, node)
    value = arguments.get(0, "device")
    return None if value is None else place_of(run, value, arguments.node(0, "device"))


def _after_its_name(run: Run, node: ast.Call) -> Place:
    """Where a method moves something that is called after an accelerator."""
    if run.supposing:
        return Place.ACCELERATOR
    return Place.NAMED if is_plain_move(node) else Place.UNKNOWN


def _follows_itself(tensor: Tensor | Bundle, other: Value | None) -> bool:
    """Whether something is moved to where what it was made from lives, so to where it is."""
    return (
        isinstance(other, (Tensor, Bundle))
        and other.origin is not None
        and other.origin == tensor.origin
    )


def _target(run: Run, name: str, arguments: Arguments, call: ast.Call) -> Place | None:
    """Where a move goes; None if it is only a cast."""
    if name == "cpu":
        return Place.HOST
    if name in TO_ACCELERATOR:
        return _after_its_name(run, call)
    if arguments.open_ended:
        return Place.UNKNOWN
    keyword = "other" if name == "type_as" else "device"
    value, node = arguments.get(0, keyword), arguments.node(0, keyword)
    if name == "type" and _is_set_out_of_sight(run, node):
        return Place.UNKNOWN
    if value is None or isinstance(value, DtypeValue):
        return None if value is None or "device" not in arguments.keywords else Place.UNKNOWN
    if name == "type" and isinstance(value, Const) and isinstance(value.value, str):
        on_cuda = Place.ACCELERATOR if run.supposing else Place.NAMED
        return on_cuda if ".cuda." in value.value else Place.HOST
    if name == "type" and isinstance(value, (Unknown, Method)) and not _is_dtype_of(node):
        return Place.UNKNOWN  # a dtype, or the name of a type, which names a place as well
    return place_of(run, value, node)


def _is_set_out_of_sight(run: Run, node: ast.AST | None) -> bool:
    """Whether an argument is a `self.dtype` that no class of the file has.

    It may be the name of a type, such as `torch.cuda.FloatTensor`, that some base was told.
    """
    owner = run.frame.owner
    if owner is None or not isinstance(node, ast.Attribute) or dotted(node) != "self.dtype":
        return False
    own = any(
        "dtype" in context_of(info.file).own_attributes(info.node)[1]
        for info in owner.lineage()
        if info.file is run.frame.file
    )
    return not own and not has_device(owner) and owner.lookup("dtype") is None


def _is_dtype_of(node: ast.AST | None) -> bool:
    """Whether an expression asks something for its dtype that is no mere setting."""
    return isinstance(node, ast.Attribute) and node.attr == "dtype" and not is_setting(node)
