"""Where values stand in the text of a JSON document, which `json` doesn't tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_BLANKS = re.compile(r"[ \t\n\r]*")
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\\"]"
)
"""One character of a string as it is written: as itself, or escaped."""
_DECODER = json.JSONDecoder(strict=False)

Stretch = tuple[int, int]
"""Where a value begins, and where the text behind it does."""


def value_at(text: str, at: int = 0) -> Stretch:
    """Return where the value is that begins here, behind blanks."""
    start = _after_blanks(text, at)
    return start, _DECODER.raw_decode(text, start)[1]


def members(text: str, at: int) -> Iterator[tuple[str, Stretch]]:
    """Yield the names and values of an object.

    Args:
        text: a valid document.
        at: where the object begins.
    """
    at = _after_blanks(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        value = value_at(text, _after_blanks(text, at) + 1)
        yield name, value
        at = _after_comma(text, value[1])


def elements(text: str, at: int) -> Iterator[Stretch]:
    """Yield the elements of an array.

    Args:
        text: a valid document.
        at: where the array begins.
    """
    at = _after_blanks(text, at + 1)
    while text[at] != "]":
        value = value_at(text, at)
        yield value
        at = _after_comma(text, value[1])


def characters(text: str, string: Stretch) -> list[int]:
    """Return where each character of a string is written, and where its closing quote is."""
    start, end = string
    found = _CHARACTER.finditer(text, start + 1, end - 1)
    return [*(match.start() for match in found), end - 1]


def _after_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def _after_comma(text: str, at: int) -> int:
    at = _after_blanks(text, at)
    return _after_blanks(text, at + 1) if text[at] == "," else at
