"""What is told of names, as far as it was set."""

from __future__ import annotations

import os
from dataclasses import fields

from torchdev_lint.catalog.told import Told
from torchdev_lint.config.levels import Levels, everywhere, last


def told_in(levels: Levels) -> Told:
    """Return what is told of names."""

    def names(key: str) -> tuple[str, ...]:
        found = last(levels, key)
        if found is None:
            return ()
        level, given = found
        if key == "src":
            return tuple(os.path.abspath(os.path.join(level.folder, path)) for path in given)
        return tuple(name for name in given if not is_pattern(name))

    told = {each.name: names(each.name) for each in fields(Told) if each.name != "rule_options"}
    options = tuple(each for _, table in everywhere(levels, "rule_options") for each in table)
    return Told(**told, rule_options=options)


def is_pattern(name: str) -> bool:
    """Whether something is a pattern of paths, and no dotted name."""
    return "/" in name or name.endswith(".py")
