"""What is known of one expression: what it is, and where it lives."""

from __future__ import annotations

from collections.abc import Iterable

from torchdev_lint.catalog.devices import DEVICE_TYPES
from torchdev_lint.known.recorder import Seen
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.imported import AnyMember, ProjectMember, ProjectModule
from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.placement.domain.values import (
    Bundle,
    ClassValue,
    Const,
    DeviceValue,
    Function,
    Instance,
    Library,
    Loader,
    Method,
    Partial,
    Place,
    Super,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.conditions import device_place
from torchdev_lint.records import dataclass
from torchdev_lint.source.span import Span


class Nature(Kind):
    """What an expression gives."""

    TENSOR = "a tensor"
    TENSORS = "a tensor or a structure of tensors"
    MODULE = "a module"
    STATELESS = "a module without parameters, which lives anywhere"
    LOADER = "a data loader"
    DEVICE = "a device"
    CONTAINER = "a list, tuple or dict"
    CODE = "a function, class or module of Python's"
    OBJECT = "an object"
    PLAIN = "no tensor: a number, a text or the like"
    UNKNOWN = "not known"

    @property
    def lives_somewhere(self) -> bool:
        """Whether it makes sense to ask where it lives."""
        return self in _PLACED


_PLACED = frozenset(
    {Nature.TENSOR, Nature.TENSORS, Nature.MODULE, Nature.LOADER, Nature.DEVICE, Nature.CONTAINER}
)
_CODE = (
    *(ClassValue, Function, Library, Method, Partial, Super),
    *(ProjectModule, ProjectMember, AnyMember),
)
_WHERE = {
    Place.HOST: "on the CPU",
    Place.ACCELERATOR: "on the accelerator",
    Place.GIVEN: "where the caller's tensors are",
    Place.UNKNOWN: "on a device that isn't known",
}
_HELD = {
    Nature.LOADER: "a data loader whose batches are",
    Nature.CONTAINER: "a container of tensors",
}


@dataclass(frozen=True, slots=True)
class Case:
    """What an expression gives in one case.

    Args:
        place: where it lives; for a device, the place that it names; for what holds tensors,
            where these are. `UNKNOWN` also for what lives nowhere.
    """

    nature: Nature
    place: Place

    @property
    def words(self) -> str:
        """The case as a message says it."""
        if not self.nature.lives_somewhere:
            return str(self.nature.value)
        if self.nature is Nature.DEVICE:
            return _DEVICES[self.place]
        if self.nature is Nature.CONTAINER and self.place is Place.UNKNOWN:
            return str(self.nature.value)
        return f"{_HELD.get(self.nature, self.nature.value)} {_WHERE[self.place]}"


_DEVICES = {
    Place.HOST: "a device: the CPU",
    Place.ACCELERATOR: "a device: the accelerator",
    Place.GIVEN: "a device: the one of the caller's tensors",
    Place.UNKNOWN: "a device, which one isn't known",
}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one expression.

    Args:
        span: where it stands.
        text: how it is written.
        cases: what it gives in the cases that were met: on each way through the code, and for
            each caller. None: the code was never reached.
    """

    span: Span
    text: str
    cases: tuple[Case, ...]

    @property
    def nature(self) -> Nature:
        """What it is in all cases; not known where they differ."""
        natures = {case.nature for case in self.cases}
        return natures.pop() if len(natures) == 1 else Nature.UNKNOWN

    @property
    def place(self) -> Place:
        """Where it lives in all cases; not known where they differ."""
        places = {case.place for case in self.cases}
        return places.pop() if len(places) == 1 else Place.UNKNOWN

    @property
    def where(self) -> str:
        """Where it lives in all cases, in words; empty where that isn't known, or nowhere."""
        lives = all(case.nature.lives_somewhere for case in self.cases)
        return _WHERE[self.place] if lives and self.place is not Place.UNKNOWN else ""

    @property
    def places(self) -> frozenset[Place]:
        """Where it lives in some case."""
        return frozenset(case.place for case in self.cases)

    @property
    def is_open(self) -> bool:
        """Whether it is something of which it is not known where it lives, or what it is."""
        if not self.cases or any(case.nature is Nature.UNKNOWN for case in self.cases):
            return True
        if self.nature is Nature.CONTAINER:
            return False
        return any(c.nature.lives_somewhere and c.place is Place.UNKNOWN for c in self.cases)

    @property
    def may_hide(self) -> bool:
        """Whether it is open, or holds what is not known."""
        return self.is_open or (self.nature is Nature.CONTAINER and self.place is Place.UNKNOWN)

    @property
    def matters(self) -> bool:
        """Whether it lives somewhere, or may: nothing at all is known of it."""
        natures = {case.nature for case in self.cases}
        if natures == {Nature.CONTAINER}:
            return self.places != {Place.UNKNOWN}
        return natures == {Nature.UNKNOWN} or any(nature.lives_somewhere for nature in natures)

    @property
    def words(self) -> str:
        """What it is, as a message says it."""
        if not self.cases:
            return "not looked at"
        return ", or ".join(dict.fromkeys(case.words for case in self.cases))


def cases_of(seen: Iterable[Seen]) -> tuple[Case, ...]:
    """Return the cases in which an expression was met, each once."""
    found = [_case(option, one) for one in seen for option in alternatives(one.value)]
    return tuple(dict.fromkeys(found))


def _case(value: Value, seen: Seen) -> Case:
    if isinstance(value, Tensor):
        return Case(Nature.TENSOR, value.place)
    if isinstance(value, Bundle):
        return Case(Nature.TENSORS, value.place)
    if isinstance(value, Loader):
        return Case(Nature.LOADER, _place_held(value.batch))
    if isinstance(value, DeviceValue) or _is_device_text(value):
        return Case(Nature.DEVICE, device_place(value))
    if isinstance(value, (Sequence, Mapping)):
        return Case(Nature.CONTAINER, _place_held(value))
    if isinstance(value, Instance):
        obj = seen.obj(value)
        if obj is None or not obj.module:
            return Case(Nature.OBJECT, Place.UNKNOWN)
        if obj.stateful is False:
            return Case(Nature.STATELESS, Place.UNKNOWN)
        return Case(Nature.MODULE, obj.place)
    if isinstance(value, Unknown):
        return Case(Nature.UNKNOWN, Place.UNKNOWN)
    return Case(Nature.CODE if isinstance(value, _CODE) else Nature.PLAIN, Place.UNKNOWN)


def _is_device_text(value: Value) -> bool:
    text = value.value if isinstance(value, Const) else None
    return isinstance(text, str) and text.partition(":")[0] in DEVICE_TYPES


def _place_held(value: Value) -> Place:
    """Where all tensors live that something holds; not known where they are in several places."""
    places: set[Place] = set()
    pending = [value]
    while pending:
        for option in alternatives(pending.pop()):
            if isinstance(option, (Tensor, Bundle)):
                places.add(option.place)
            elif isinstance(option, (Sequence, Mapping, Loader)):
                pending += option.held()
    return places.pop() if len(places) == 1 else Place.UNKNOWN
