"""Reading JSON of which nothing is known: what doesn't have the shape that it should is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class WrongShape(Exception):
    """Something is not what it should be."""


def text(value: object) -> str:
    """Return what should be a text."""
    if not isinstance(value, str):
        raise WrongShape
    return value


def whole(value: object) -> int:
    """Return what should be a number, from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise WrongShape
    return value


def truth(value: object) -> bool:
    """Return what should be true or false."""
    if not isinstance(value, bool):
        raise WrongShape
    return value


def fields(value: object, number: int) -> list[object]:
    """Return what should be a list of so many."""
    if not isinstance(value, list) or len(value) != number:
        raise WrongShape
    return value


def every(value: object, make: Callable[[object], T]) -> tuple[T, ...]:
    """Return what should be a list, with something made of each of its items."""
    if not isinstance(value, list):
        raise WrongShape
    return tuple(map(make, value))


def mapping(value: object) -> dict[str, object]:
    """Return what should be a mapping."""
    if not isinstance(value, dict):
        raise WrongShape
    return value


def perhaps(value: object, make: Callable[[object], T]) -> T | None:
    """Return nothing if there is nothing, else what is made of it."""
    return None if value is None else make(value)
