"""The objects of a run: modules, instances of the file's classes, variables that are shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias

from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.joins import as_tensor, choice, join, sequence
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    UNSET,
    Bundle,
    Choice,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.records import dataclass, replace

CONTAINED = "*items"
"""The attribute under which containers of modules keep what they hold."""
REGISTERED = "*registered"
"""The attribute under which modules keep what was registered with a name that is not known."""
OWN_STATE = "*state"
"""The attribute under which a layer out of sight keeps the state that it certainly has."""
HOLDERS = frozenset({CONTAINED, REGISTERED, "_modules"})
"""Attributes of modules that hold parts of them in a container."""
UNBUILT = "*unbuilt"
"""The attribute of an object whose `__init__` has not been run yet: the settings it is given."""
WITH_BASES = "*with bases"
"""The attribute of a module for which the constructors of other files were run."""
CELL = "*cell"
"""The attribute under which a variable that several functions assign keeps its value."""


@dataclass(frozen=True, slots=True)
class Obj:
    """What is known of one object: a module, or an instance of a class of the file.

    Args:
        place: where its parameters and buffers live; they move with it.
        module: whether it is a `torch.nn.Module`.
        stateful: whether it has parameters or buffers; None where that is not known.
        attrs: its attributes. Never changed: an assignment makes a new `Obj`.
        origin: the construction, if it is a layer that `forward` builds, or a module that was built
            in view and is still where that was; or what put it on one of several accelerators, or
            on the CPU.
        moves_inputs: whether it moves what it is called with, as DataParallel does.
        was_moved: whether the code itself moved it to the accelerator.
        kept: whether the code itself put it on the CPU.
        shaky: attributes that methods other than `__init__` assign as well.
        certain: those of them that have been assigned since.
        late: buffers that were registered when it was on a device already: they are where they were
            made until it is moved again.
        handed_out: whether it was on the host when code out of sight got it, which may move it.
    """

    place: Place
    module: bool = False
    stateful: bool | None = None
    attrs: dict[str, Value] = field(default_factory=dict)
    origin: Origin | None = None
    moves_inputs: bool = False
    was_moved: bool = False
    kept: bool = False
    shaky: frozenset[str] = frozenset()
    certain: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    handed_out: bool = False

    def is_shaky(self, name: str) -> bool:
        """Whether a method may have assigned an attribute anew since it was."""
        return name in self.shaky and name not in self.certain

    def with_attributes(self, attrs: dict[str, Value]) -> Obj:
        """Return the object with other attributes."""
        return Obj(
            self.place,
            self.module,
            self.stateful,
            attrs,
            self.origin,
            self.moves_inputs,
            self.was_moved,
            self.kept,
            self.shaky,
            self.certain,
            self.late,
            self.handed_out,
        )

    def assigned(self, name: str, value: Value) -> Obj:
        """Return the object after the assignment of an attribute, which is certain then."""
        changed = self.with_attributes({**self.attrs, name: value})
        return replace(changed, certain=self.certain | {name}) if self.is_shaky(name) else changed

    def registering(self, name: str, value: Value) -> Obj:
        """Return the module after it has registered a value under a name."""
        if not self.place.is_device or not _is_on_host(value):
            return self.with_attributes({**self.attrs, name: as_registered(value)})
        late = self.with_attributes({**self.attrs, name: value})
        return replace(late, late=self.late | {name})

    def taking_along(self) -> Obj:
        """Return the module as it is to be moved: what was registered late goes with it."""
        if not self.late:
            return self
        own = {name: as_registered(self.attrs[name]) for name in self.late & self.attrs.keys()}
        return replace(self.with_attributes({**self.attrs, **own}), late=frozenset())

    def with_part(self, value: Value) -> Obj:
        """Return a module after a value has become part of it, under a name that is not known."""
        held = self.attrs.get(REGISTERED, sequence([]))
        known = held.items if isinstance(held, Sequence) and held.items is not None else (held,)
        if value in known:
            return self
        return self.with_attributes({**self.attrs, REGISTERED: sequence([*known, value])})


def is_left(obj: Obj) -> bool:
    """Whether it is a module that was built in view, on the host, and that nothing has moved."""
    return obj.origin is not None and obj.origin.kind is OriginKind.MODULE


def put_back_by(obj: Obj) -> Origin | None:
    """What moved a module to the CPU, if the code itself did, and has not moved it away since."""
    is_back = obj.origin is not None and obj.origin.kind is OriginKind.PUT_BACK
    return obj.origin if is_back else None


def number_of(obj: Obj) -> Origin | None:
    """What put a module on one of several accelerators, where the code says on which one."""
    is_numbered = obj.origin is not None and obj.origin.kind is OriginKind.NUMBERED
    return obj.origin if is_numbered else None


Heap: TypeAlias = "dict[int, Obj]"
"""What is known of all objects at one point; never changed in place, so that states share it."""


def as_registered(value: Value) -> Value:
    """Return what a module holds that has registered a value: as a tensor, it is moved with it.

    So is what a file gave, which may be more than one tensor to the analysis: else it raises.
    """
    return choice(
        [
            replace(as_tensor(o), registered=True) if isinstance(o, (Tensor, Bundle)) else o
            for o in alternatives(value)
        ]
    )


def _is_on_host(value: Value) -> bool:
    """Whether a value is a tensor on the host for certain, and no parameter of some module."""
    return all(
        isinstance(option, Tensor) and option.place is Place.HOST and not option.registered
        for option in alternatives(value)
    )


def unsettled(value: Value) -> Value:
    """Return what a buffer is that is read while its module is built: the tensor that was made.

    Moved with the module is only what that has under the buffer's name: another one, then. A
    parameter, of which it is not told where it was made, is one object wherever it is kept.
    """
    options = alternatives(value)
    return choice([_as_made(option) for option in options]) if len(options) == 1 else value


def _as_made(value: Value) -> Value:
    if isinstance(value, Tensor) and value.registered and value.origin is not None:
        return replace(value, registered=False)
    return value


def settle(obj: Obj, value: Value) -> Value:
    """Give parameters and buffers, which move with their module, the module's place.

    They count as left behind with it if they were made on the host for certain. What was made
    elsewhere is there until the module is moved.
    """
    if not isinstance(value, (Tensor, Choice)):
        return value
    stays = obj.place is Place.HOST and not obj.kept
    settled: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, Tensor) and option.registered:
            if option.place is Place.HOST or not stays:
                option = replace(option, place=obj.place, origin=obj.origin)
        settled.append(option)
    return choice(settled)


def join_heaps(first: Heap, second: Heap, combine: Callable[[Value, Value], Value] = join) -> Heap:
    """Join what two branches know of the objects.

    Args:
        combine: joins what they know of one attribute.
    """
    if first is second:
        return first
    heap = dict(first)
    for ref, other in second.items():
        mine = heap.get(ref)
        if mine is None:
            heap[ref] = other
        elif mine is not other:
            heap[ref] = _join_objects(mine, other, combine)
    return heap


def _join_objects(mine: Obj, other: Obj, combine: Callable[[Value, Value], Value]) -> Obj:
    attrs = dict(mine.attrs)
    for name, value in other.attrs.items():
        known = name in attrs
        attrs[name] = combine(attrs[name], value) if known else _if_set(name, value)
    for name in mine.attrs.keys() - other.attrs.keys():
        attrs[name] = _if_set(name, attrs[name])
    is_same = mine.shaky == other.shaky
    shaky = mine.shaky if is_same else (mine.shaky - mine.certain) | (other.shaky - other.certain)
    return Obj(
        place=mine.place if mine.place is other.place else Place.UNKNOWN,
        module=mine.module and other.module,
        stateful=mine.stateful if mine.stateful is other.stateful else None,
        attrs=attrs,
        origin=_join_origins(mine, other),
        moves_inputs=mine.moves_inputs or other.moves_inputs,
        was_moved=mine.was_moved and other.was_moved,
        kept=mine.kept or other.kept,
        shaky=shaky,
        certain=mine.certain & other.certain if is_same else frozenset(),
        late=mine.late | other.late,
        handed_out=mine.handed_out or other.handed_out,
    )


def _join_origins(mine: Obj, other: Obj) -> Origin | None:
    """Where an object comes from on two paths.

    A module that one of them has made a part of another one was built before that was: its own
    construction is the first. One that both have moved to the CPU was moved there by the first; so
    was one that only the other has, if it was moved to an accelerator before.
    """
    first, second = mine.origin, other.origin
    if first == second:
        return first
    if (put_back_by(mine) and _was_moved(other)) or (put_back_by(other) and _was_moved(mine)):
        return put_back_by(mine) or second
    if first is None or second is None:
        return None
    if put_back_by(mine) and put_back_by(other):
        return min(first, second, key=_place_of) if first.file is second.file else None
    if not (is_left(mine) and is_left(other)):
        return None
    if first.file is not second.file or _place_of(first) == _place_of(second):
        return None
    return min(first, second, key=_place_of)


def _was_moved(obj: Obj) -> bool:
    """Whether a module was certainly moved to an accelerator, and is there."""
    is_there = obj.was_moved and obj.place is Place.ACCELERATOR
    return is_there and (obj.origin is None or number_of(obj) is not None)


def _place_of(origin: Origin) -> tuple[int, int]:
    return getattr(origin.node, "lineno", 0), getattr(origin.node, "col_offset", 0)


def _if_set(name: str, value: Value) -> Value:
    """What an attribute holds that a path has not set; of what modules hold, that is unknown."""
    instead = UNKNOWN if name in HOLDERS or not name.isidentifier() else UNSET
    # Other paths may have left it unset before: there may be as many as there are attributes.
    for option in alternatives(value):
        if option is instead:  # to compare them would take longer than all else
            return value
    return join(value, instead)
