"""Data classes that are made quickly behave as those that the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import field
from functools import partial
from operator import lt
from typing import Any, ClassVar

import pytest

from torchdev_lint import records

Maker = Callable[..., Callable[[type], type]]


def made_by(dataclass: Maker) -> dict[str, type]:
    """Classes of all shapes that the package has, by name."""
    return {kind.__name__: kind for kind in (*with_fields(dataclass), *with_options(dataclass))}


def with_fields(dataclass: Maker) -> tuple[type, ...]:
    """Classes that have fields of all kinds."""

    @dataclass(frozen=True, slots=True)
    class Plain:
        """Fields with and without a default."""

        number: int
        name: str = "a"
        kind: ClassVar[str] = "plain"

        def double(self) -> int:
            return self.number * 2

    @dataclass(frozen=True, slots=True)
    class Derived(Plain):
        """More fields than its base."""

        more: tuple[int, ...] = ()

    @dataclass(frozen=True, slots=True)
    class Narrowed(Plain):
        """A field that its base has as well."""

        number: bool
        name: str = "b"

    @dataclass(frozen=True, slots=True)
    class Empty:
        """No fields."""

    @dataclass(frozen=True, slots=True)
    class Partly:
        """Fields that are made, that don't count, and that nobody gives."""

        items: list[int] = field(default_factory=list, hash=False)
        seen: bool = field(default=False, compare=False)
        told: int = field(default=3, init=False)
        length: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.items))

    return Plain, Derived, Narrowed, Empty, Partly


def with_options(dataclass: Maker) -> tuple[type, ...]:
    """Classes that are told to be otherwise, or say so themselves."""

    @dataclass(frozen=True, slots=True, eq=False)
    class Itself:
        """Equal to no other."""

        number: int

    @dataclass(frozen=True, slots=True, eq=False, repr=False)
    class Silent:
        """Shows no fields."""

        number: int

    @dataclass(frozen=True, slots=True)
    class Own:
        """Methods of its own are kept."""

        number: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True, slots=True, order=True)
    class Sorted:
        """Smaller and larger than others."""

        number: int

    @dataclass(slots=True)
    class Changing:
        """What is assigned to, and has no hash."""

        number: int

    return Itself, Silent, Own, Sorted, Changing


OURS = made_by(records.dataclass)
THEIRS = made_by(dataclasses.dataclass)
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Plain": [{"number": 1}, {"number": 2}, {"number": 1, "name": "a"}, {"number": 1, "name": "b"}],
    "Derived": [{"number": 1}, {"number": 1, "more": (2,)}],
    "Narrowed": [{"number": True}, {"number": False, "name": "c"}],
    "Empty": [{}, {}],
    "Partly": [{}, {"items": [1]}, {"seen": True}],
    "Itself": [{"number": 1}, {"number": 1}],
    "Silent": [{"number": 1}, {"number": 1}],
    "Own": [{"number": 1}, {"number": 2}],
    "Sorted": [{"number": 1}, {"number": 2}],
    "Changing": [{"number": 1}, {"number": 1}],
}
pairs = pytest.mark.parametrize(
    ("ours", "theirs", "given"), [(OURS[name], THEIRS[name], ARGUMENTS[name]) for name in OURS]
)


def outcome(do: Callable[[], object]) -> object:
    """What comes of something: its value, or what it raises."""
    try:
        return do()
    except Exception as error:
        return type(error), str(error)


@pairs
def test_they_are_made_alike(ours: type, theirs: type, given: list[dict[str, Any]]) -> None:
    assert ours.__doc__ == theirs.__doc__
    assert ours.__slots__ == theirs.__slots__  # type: ignore[attr-defined]  # they have slots
    assert ours.__match_args__ == theirs.__match_args__  # type: ignore[attr-defined]  # as above
    takes = [inspect.signature(kind).parameters.items() for kind in (ours, theirs)]
    assert [name for name, _ in takes[0]] == [name for name, _ in takes[1]]
    for wrong in ({"number": 1, "no": 2}, {"no": 2}):
        assert outcome(partial(ours, **wrong)) == outcome(partial(theirs, **wrong))


@pairs
def test_they_hold_and_show_alike(ours: type, theirs: type, given: list[dict[str, Any]]) -> None:
    for arguments in given:
        mine, other = ours(**arguments), theirs(**arguments)
        assert dataclasses.asdict(mine) == dataclasses.asdict(other)
        if ours.__name__ != "Silent":  # else the address is shown
            assert repr(mine) == repr(other)


@pairs
def test_they_compare_alike(ours: type, theirs: type, given: list[dict[str, Any]]) -> None:
    mine, others = ([kind(**arguments) for arguments in given] for kind in (ours, theirs))
    assert [a == b for a in mine for b in mine] == [a == b for a in others for b in others]
    smaller = [[outcome(partial(lt, a, b)) for a in each for b in each] for each in (mine, others)]
    assert smaller[0] == smaller[1]
    hashes = [[outcome(partial(hash, a)) for a in each] for each in (mine, others)]
    assert [a == b for a in hashes[0] for b in hashes[0]] == [
        a == b for a in hashes[1] for b in hashes[1]
    ]
    if ours.__name__ != "Own":
        assert all(a != b for a in mine for b in others)


@pairs
def test_they_stay_as_they_are(ours: type, theirs: type, given: list[dict[str, Any]]) -> None:
    mine, other = ours(**given[0]), theirs(**given[0])
    for name in [each.name for each in dataclasses.fields(ours)]:
        assert outcome(partial(setattr, mine, name, 1)) == outcome(partial(setattr, other, name, 1))
        assert outcome(partial(delattr, mine, name)) == outcome(partial(delattr, other, name))
    assert outcome(partial(setattr, mine, "nothing", 1)) is not None


@pairs
def test_copies_are_equal(ours: type, theirs: type, given: list[dict[str, Any]]) -> None:
    for arguments in given:
        one = ours(**arguments)
        for other in (copy.copy(one), copy.deepcopy(one), dataclasses.replace(one)):
            assert dataclasses.asdict(other) == dataclasses.asdict(one)


@records.dataclass(frozen=True, slots=True)
class Sent:
    """One that goes to another process."""

    name: str
    parts: tuple[Sent, ...] = ()


def test_pickled_ones_come_back() -> None:
    sent = Sent("a", (Sent("b"), Sent("", (Sent("c"),))))
    back = pickle.loads(pickle.dumps(sent))
    assert (back, hash(back), repr(back)) == (sent, hash(sent), repr(sent))


def test_what_holds_itself_can_be_shown() -> None:
    parts: list[object] = []
    one = OURS["Partly"](parts)
    parts.append(one)
    assert "items=[...]" in repr(one)
