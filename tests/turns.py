"""What asks the same of many things asks it of one in twelve, unless all have their turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")
OF = 12
"""One in so many has its turn by default."""


def has_turn(name: str, turn: int) -> bool:
    """Whether it is the turn of what goes by a name.

    Args:
        turn: which of them have theirs, from 0 to 11.
    """
    return crc32(name.encode()) % OF == turn


def in_turn(
    values: Iterable[T],
    turn: int,
    called: Callable[[T], str] = str,
    can_wait: Callable[[T], bool] = lambda _: True,
) -> list[object]:
    """Return the parameters of a test, of which eleven in twelve are marked `exhaustive`.

    Args:
        turn: which ones are not, from 0 to 11, so that tests that are alike share them out.
        called: gives the name of a parameter.
        can_wait: whether a parameter may be left out at all.
    """
    return [
        pytest.param(
            value,
            id=called(value),
            marks=()
            if has_turn(called(value), turn) or not can_wait(value)
            else pytest.mark.exhaustive,
        )
        for value in values
    ]
