"""From a file to what was set in it: TOML, and what of it is ours."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from torchdev_lint.config.kinds import Kind, WrongKind, kind_of
from torchdev_lint.config.options import Options, described
from torchdev_lint.config.problem import SettingsProblem, closest, raise_all
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import SourceError, read_bytes

_MOST_BYTES = 10_000_000
_PLACE = re.compile(r" \(at line (\d+), column \d+\)$| \(at end of document\)$")
"""How an error of the parser ends that says where it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What was set in one place. Places lie above each other, and a higher one wins.

    One is equal to no other: it can be told quickly whether places are the same.

    Args:
        options: what was set.
        folder: the folder that paths are meant from.
        path: the file, as it is shown to the user, or an option; empty: options of their own.
        text: what the file holds.
        section: the table in it.
    """

    options: Options
    folder: str
    path: str = ""
    text: str = ""
    section: tuple[str, ...] = ()

    def wrong(self, key: str, message: str) -> SettingsProblem:
        """Return what to raise where a value makes no sense.

        Args:
            key: what was set.
            message: what is wrong with it.
        """
        where = f"`{key}`" if self.path else f"`--{key}`"
        return SettingsProblem(f"{where}: {message}", self.path, self.line_of(key))

    def line_of(self, key: str) -> int | None:
        """Return the line on which something is set, None if that can't be told."""
        return line_of(self.text, (*self.section, key)) if self.path else None


def read_level(path: str, section: Sequence[str], folder: str, shown: str) -> Level | None:
    """Read what a file sets.

    Args:
        path: the file.
        section: the table in it that is ours; empty: all of it.
        folder: the folder that paths are meant from.
        shown: the path as it is shown to the user.

    Returns:
        What was set; None if the file has no such table.

    Raises:
        SettingsProblem: the file can't be read, or sets what can't be set.
    """
    data = _bytes_of(path, shown)
    if section and section[-1].encode() not in data:  # to parse what isn't ours takes long
        return None
    text = _decoded(data, shown)
    table: Any = parsed(text, shown)
    for depth, name in enumerate(section, start=1):
        if name not in table:
            return None
        table = table[name]
        if not isinstance(table, dict):
            where = ".".join(section[:depth])
            raise SettingsProblem(f"`{where}` must be a table", shown, line_of(text, section))
    level = Level(Options(), folder, shown, text, tuple(section))
    return Level(options_from(table, level), folder, shown, text, tuple(section))


def options_from(table: Mapping[str, object], level: Level) -> Options:
    """Return what a table sets.

    Args:
        table: the table.
        level: where it stands.

    Raises:
        SettingsProblem: it sets what can't be set.
    """
    known = {option.key: option for option in described()}
    values = {}
    problems = list[SettingsProblem]()
    for key, value in table.items():
        option = known.get(key)
        if option is None:
            section = f" in `[{'.'.join(level.section)}]`" if level.section else ""
            hint = closest(key, list(known))
            problems.append(level.wrong(key, f"there is no such setting{section}{hint}"))
            continue
        try:
            values[option.name] = option.kind.read(value)
        except WrongKind:
            problems.append(level.wrong(key, _expected(option.kind, value)))
    raise_all(problems)
    # Each value is of the kind that is described beside its type.
    return Options(**values)  # type: ignore[arg-type]


def _expected(kind: Kind, value: object) -> str:
    """Say what a value should have been."""
    if isinstance(value, str) and kind.names:
        return f"must be {kind.words}{closest(value, list(kind.names))}"
    given = kind_of(value)
    return f"must be {kind.words}" + (f", not {given}" if given not in kind.words else "")


def parsed(text: str, shown: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        SettingsProblem: it is none.
    """
    # Imported late: most projects set nothing.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = None
        if place is not None:
            message = message[: place.start()]
            line = int(place[1]) if place[1] else text.count("\n") + 1
        raise SettingsProblem(f"not valid TOML: {message}", shown, line) from None
    except RecursionError:
        raise SettingsProblem("not valid TOML: nested too deeply", shown) from None
    except ValueError:  # Python reads none of thousands of digits
        raise SettingsProblem("not valid TOML: a number has too many digits", shown) from None


def _bytes_of(path: str, shown: str) -> bytes:
    try:
        return read_bytes(path, _MOST_BYTES)
    except SourceError as error:
        raise SettingsProblem(error.message, shown) from None


def _decoded(data: bytes, shown: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsProblem("not valid TOML: not UTF-8", shown, line) from None


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """Return the line on which something is set, counted from 1; None if that can't be told.

    The parser tells no places, but it can be asked about beginnings of the text: a key is set by
    the statement with which it appears.

    Args:
        text: the file, which is valid.
        keys: the names of the tables around it, and its own.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if keys[-1] not in line or _holds("\n".join(lines[:number]), keys) is not False:
            continue
        for end in range(number + 1, len(lines) + 1):
            found = _holds("\n".join(lines[:end]), keys)
            if found is not None:
                break
        if found:
            return number + 1
    return None


def _holds(text: str, keys: Sequence[str]) -> bool | None:
    """Whether something is set in a text; None if that isn't TOML."""
    try:
        table: Any = parsed(text, "")
    except SettingsProblem:
        return None
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True
