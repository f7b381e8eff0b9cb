"""The kinds of values that settings have: what each looks like, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from keyword import iskeyword

from torchdev_lint.records import dataclass

Schema = Mapping[str, object]


class WrongKind(Exception):
    """A value is not of the kind that a setting has."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values.

    Args:
        words: what it is, as in "must be a list of strings".
        schema: the same as JSON schema.
        read: makes the value that is kept of what stands in TOML.
        names: what it may be, where that is one of a few texts.
    """

    words: str
    schema: Schema
    read: Callable[[object], object]
    names: tuple[str, ...] = ()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise WrongKind
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongKind
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise WrongKind
    return value


def _simple(value: object) -> object:
    if not isinstance(value, str | bool | int):
        raise WrongKind
    return value


def _path_of_names(value: object) -> str:
    if not all(part.isidentifier() and not iskeyword(part) for part in _text(value).split(".")):
        raise WrongKind
    return _text(value)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise WrongKind
    return tuple(map(_text, value))


def _table(value: object, read: Callable[[object], object]) -> tuple[tuple[str, object], ...]:
    if not isinstance(value, dict):
        raise WrongKind
    return tuple((_text(name), read(held)) for name, held in value.items())


def one_of(*names: str) -> Kind:
    """The kind of a text that is one of a few."""

    def read(value: object) -> str:
        if value not in names:
            raise WrongKind
        return _text(value)

    quoted = [f'"{name}"' for name in names]
    words = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    return Kind(words, {"type": "string", "enum": list(names)}, read, names)


def table_of(kind: Kind, words: str) -> Kind:
    """The kind of a table in which all values are of one kind.

    Args:
        kind: that kind.
        words: what the table is.
    """
    schema: Schema = {"type": "object", "additionalProperties": kind.schema}
    return Kind(words, schema, lambda value: _table(value, kind.read))


TEXT = Kind("a string", {"type": "string"}, _text)
FLAG = Kind("true or false", {"type": "boolean"}, _flag)
NUMBER = Kind("a number above 0", {"type": "integer", "minimum": 1}, _number)
TEXTS = Kind("a list of strings", {"type": "array", "items": {"type": "string"}}, _texts)
PATHS_OF_NAMES = Kind(
    "a list of names with dots",
    {"type": "array", "items": {"type": "string", "pattern": r"^\w+(\.\w+)*$"}},
    lambda value: tuple(map(_path_of_names, _texts(value))),
)
TABLE_OF_TEXTS = table_of(TEXTS, "a table of lists of strings")
_ANY_OF_RULES: Schema = {"type": ["string", "integer", "boolean"]}
OF_RULES = {kind.words: kind for kind in (TEXT, FLAG, NUMBER)}
"""The kinds of what single rules can be told, by their words."""
TABLE_OF_TABLES = table_of(
    table_of(Kind("a string, a number, true or false", _ANY_OF_RULES, _simple), "a table"),
    "a table of tables",
)


def kind_of(value: object) -> str:
    """Say what a value of TOML is, as in "not a number"."""
    for types, words in _WORDS:
        if isinstance(value, types):
            return words
    return "a date or time"


_WORDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "a string"),
    (int, "a number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "a table"),
)
