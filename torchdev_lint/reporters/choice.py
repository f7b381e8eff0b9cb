"""Which formats there are; each is imported only where it is chosen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchdev_lint.reporters import Output, Reporter

DEFAULT = "text"
"""`full` where a person looks, `concise` anywhere else."""

_ALIASES = {"json-lines": "jsonl"}

_CLASSES = {
    "full": "FullReporter",
    "concise": "ConciseReporter",
    "grouped": "GroupedReporter",
    "json": "JsonReporter",
    "jsonl": "JsonLinesReporter",
    "sarif": "SarifReporter",
    "github": "GithubReporter",
    "gitlab": "GitlabReporter",
    "junit": "JunitReporter",
    "pylint": "PylintReporter",
    "rdjson": "RdjsonReporter",
}
"""The class of each format; the module has the format's name."""

NAMES = frozenset({DEFAULT, *_CLASSES, *_ALIASES})
"""All that a user may write."""

FOR_PEOPLE = frozenset({"full", "concise", "grouped"})
"""Formats whose end sums up, and in whose stream something else may stand as well."""

WITH_EDITS = frozenset({"full", "json", "jsonl", "sarif", "rdjson", "github"})
"""Formats that say what fixes replace."""

_STATISTICS = {**dict.fromkeys(FOR_PEOPLE, "TextStatistics"), "json": "JsonStatistics"}
COUNTED = frozenset(_STATISTICS)
"""Formats in which findings can be counted instead of listed."""


def resolved(name: str, watched: bool) -> str:
    """Return the format that is meant by a name.

    Args:
        name: what the user wrote.
        watched: whether the findings go to a terminal.
    """
    if name == DEFAULT:
        return "full" if watched else "concise"
    return _ALIASES.get(name, name)


def reporter_for(name: str, output: Output, statistics: bool = False) -> Reporter:
    """Return what writes a format.

    Args:
        name: a format, no alias.
        output: where it goes, and what it is told.
        statistics: whether to count findings instead.
    """
    module, class_name = name, _CLASSES[name]
    if statistics:
        module, class_name = "statistics", _STATISTICS[name]
    made: Callable[[Output], Reporter] = getattr(
        import_module(f"torchdev_lint.reporters.{module}"), class_name
    )
    return made(output)
