"""Containers of Python's, such as lists, with the elements that are known."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, TypeAlias

from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.placement.domain.values import WIDENED, Const, Value
from torchdev_lint.placement.domain.weight import Holder
from torchdev_lint.records import dataclass


class SequenceKind(Kind):
    """What holds elements in an order."""

    LIST = "list"
    TUPLE = "tuple"
    SET = "set"
    DEQUE = "deque"
    ITERATOR = "iterator"
    DATASET = "data set"
    DISTRIBUTION = "distribution, whose element is what it draws"


class Together(tuple["Value", ...]):
    """Values of which neither their order nor repetitions say anything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and frozenset(self) == frozenset(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(self))


@dataclass(frozen=True, slots=True)
class Sequence(Holder):
    """Elements in an order; `items` where each element is known, else `element`.

    Args:
        together: elements that are certainly in it at the same time, of one whose length is
            not known.
        same: what tells which lists it may be, of those that more than one variable holds.
    """

    items: tuple[Value, ...] | None
    element: Value
    kind: SequenceKind = SequenceKind.LIST
    together: tuple[Value, ...] = ()
    same: frozenset[object] = field(default=frozenset(), compare=False)
    lighter: ClassVar = ({"items": None, "together": ()}, {"element": WIDENED})

    def __post_init__(self) -> None:
        if self.together:
            object.__setattr__(self, "together", Together(dict.fromkeys(self.together)))
        Holder.__post_init__(self)

    def held(self) -> tuple[Value, ...]:
        """The elements that are known, then those that any one may be, then those in it."""
        return (*(self.items or ()), self.element, *self.together)

    def at(self, index: Value) -> Value | None:
        """Return the element at a known index, None where it is not known."""
        if self.items is None or not isinstance(index, Const) or not isinstance(index.value, int):
            return None
        inside = -len(self.items) <= index.value < len(self.items)
        return self.items[index.value] if inside else None


@dataclass(frozen=True, slots=True)
class Mapping(Holder):
    """A dict with some known keys; `rest` is what other keys give.

    Args:
        same: what tells which dicts it may be, of those that more than one variable holds.
    """

    items: tuple[tuple[Any, Value], ...]
    rest: Value
    same: frozenset[object] = field(default=frozenset(), compare=False)
    lighter: ClassVar = ({"items": (), "rest": WIDENED},)

    def held(self) -> tuple[Value, ...]:
        """The values, those of other keys last."""
        return (*(value for _, value in self.items), self.rest)

    def get(self, key: object) -> Value | None:
        """Return the value under a key, None where it is not known."""
        for known, value in self.items:
            if known == key and type(known) is type(key):
                return value
        return None

    def with_item(self, key: object, value: Value) -> Mapping:
        """Return the dict with another value under a key."""
        kept = tuple(pair for pair in self.items if pair[0] != key)
        return Mapping((*kept, (key, value)), self.rest, self.same)


Container: TypeAlias = "Sequence | Mapping"
