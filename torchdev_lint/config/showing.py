"""What holds for a path, as TOML with where it was set."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

from torchdev_lint.config.levels import Levels, everywhere, last
from torchdev_lint.config.options import Option, described
from torchdev_lint.config.reading import Level
from torchdev_lint.config.settings import Settings
from torchdev_lint.source.shown import shown


def settings_shown(path: str, settings: Settings, levels: Levels) -> Iterator[str]:
    """Yield lines that say what holds for a file, and where it was set.

    Args:
        path: the file, as it is shown to the user.
        settings: what holds for it.
        levels: what was set, the place that counts for least first.
    """
    yield f"# {shown(path)}"
    yield f"# rules that run: {' '.join(settings.rules) or 'none'}"
    for option in described():
        if option.name != "extend":
            yield shown(_line(option, levels))


def _line(option: Option, levels: Levels) -> str:
    found = last(levels, option.name)
    if found is None:
        return f"# {option.key}: {option.default}"
    places = [found]
    value = found[1]
    if option.adds:
        places = list(everywhere(levels, option.name))
        value = tuple(chain.from_iterable(each for _, each in places))
    where = ", ".join(dict.fromkeys(_place(level, option) for level, _ in places))
    return f"{option.key} = {_toml(value)}  # {where}"


def _place(level: Level, option: Option) -> str:
    if not level.path:
        return "command line"
    line = level.line_of(option.key)
    return level.path if line is None else f"{level.path}:{line}"


def _toml(value: object) -> str:
    """Write a value as TOML, which has the same texts and lists as JSON has."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        pairs = (f"{json.dumps(name)} = {_toml(held)}" for name, held in value)
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value, ensure_ascii=False)
