"""What was set in several places, of which a higher one wins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchdev_lint.config.reading import Level

Levels = tuple[Level, ...]
"""The place that counts for least comes first."""


def everywhere(levels: Levels, name: str) -> Iterator[tuple[Level, Any]]:
    """Yield what was set in each place, with that place.

    Args:
        levels: the places.
        name: an attribute of `Options`.
    """
    for level in levels:
        value = getattr(level.options, name)
        if value is not None:
            yield level, value


def last(levels: Levels, name: str) -> tuple[Level, Any] | None:
    """Return what was set in the place that counts for most; None if it was set nowhere."""
    return next(everywhere(levels[::-1], name), None)


def is_set(levels: Levels, name: str) -> bool:
    """Whether something is set to true, in the place that counts for most."""
    found = last(levels, name)
    return found is not None and bool(found[1])


def with_extensions(levels: Levels, name: str) -> Iterator[tuple[Level, Any]]:
    """Yield what holds under a name, and then what extends it in any place.

    Args:
        levels: the places.
        name: the attribute of `Options` that another one extends.
    """
    base = last(levels, name)
    if base is not None:
        yield base
    yield from everywhere(levels, f"extend_{name}")
