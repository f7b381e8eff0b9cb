"""In which moods the code at hand is read: why something that fails there may be no defect."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from enum import Enum

from torchdev_lint.records import dataclass


class Mood(Enum):
    """What is thought of the code at hand, for which something in it may be no defect."""

    DOUBT = "a condition about devices leads there, and is not decided"
    EXPECTED = "something around it wants it to fail"
    CAUGHT = "something around it catches its failure, and goes on"
    WAITING = "it is not known yet whether the first round of a loop comes there"


_JUST_WAITING = frozenset({Mood.WAITING})
_UNCHANGED = nullcontext()


@dataclass(slots=True)
class Moods:
    """The moods of the code at hand: those of all that is around it."""

    now: frozenset[Mood] = frozenset()

    def __contains__(self, mood: Mood) -> bool:
        return bool(self.now) and mood in self.now

    def within(self, mood: Mood, entered: bool = True) -> AbstractContextManager[None]:
        """Have what is read in a `with` be in a mood as well.

        Args:
            entered: whether it is.
        """
        return _Within(self, mood) if entered and mood not in self else _UNCHANGED

    @property
    def lasting(self) -> frozenset[Mood]:
        """Those in which a failure is no defect, or not certain, in whatever round of a loop."""
        return self.now - _JUST_WAITING if self.now else self.now


class _Within(AbstractContextManager[None]):
    """A `with` in which there is one more mood."""

    __slots__ = ("_before", "_mood", "_moods")

    def __init__(self, moods: Moods, mood: Mood) -> None:
        self._moods, self._mood, self._before = moods, mood, moods.now

    def __enter__(self) -> None:
        self._before = self._moods.now
        self._moods.now |= {self._mood}

    def __exit__(self, *_: object) -> None:
        self._moods.now = self._before
