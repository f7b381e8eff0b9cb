"""What is told of names, as far as it was set."""

from __future__ import annotations

from dataclasses import fields

from torchdev_lint.catalog.told import Told
from torchdev_lint.config.levels import Levels, last


def told_in(levels: Levels) -> Told:
    """Return what is told of names."""

    def names(key: str) -> tuple[str, ...]:
        found = last(levels, key)
        return () if found is None else tuple(name for name in found[1] if not is_pattern(name))

    return Told(**{each.name: names(each.name) for each in fields(Told)})


def is_pattern(name: str) -> bool:
    """Whether something is a pattern of paths, and no dotted name."""
    return "/" in name or name.endswith(".py")
