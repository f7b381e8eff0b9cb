"""Messages that fit on a line."""

from __future__ import annotations

import re

MOST = 120
"""How many characters a message has at most."""
_SHORTEST = 10
"""How much of a text of the program is left at least."""
_QUOTED = re.compile(r"`[^`]+`")
_DOTTED = re.compile(r"[\w.]+")
_CUT = "..."
_SPARE = re.compile("\x0e([^\x0e\x0f]*)\x0f")
"""What can be spared: between what once shifted out and in, and is in no text of a program."""


def spare(words: str) -> str:
    """Mark words that a message does without where it is too long for a line with them."""
    return f"\x0e{words}\x0f"


def whole(message: str) -> str:
    """Return a message with all its words, also those that it could do without."""
    return _SPARE.sub(r"\1", message)


def fitted(message: str) -> str:
    """Return a message without words that it can spare, the first ones first, where it is too long.

    Where that isn't enough, texts of the program in it are shortened, the longest first.

    Args:
        message: a sentence in which texts of the program stand between backticks.
    """
    while len(whole(message)) > MOST and _SPARE.search(message):
        message = _SPARE.sub("", message, count=1)
    message = whole(message)
    while len(message) > MOST:
        longest = max(_QUOTED.finditer(message), key=lambda found: len(found[0]), default=None)
        if longest is None or len(longest[0]) - 2 <= _SHORTEST:
            return message
        text = longest[0][1:-1]
        shorter = _shortened(text, max(_SHORTEST, len(text) - (len(message) - MOST)))
        if len(shorter) >= len(text):
            return message
        message = f"{message[: longest.start() + 1]}{shorter}{message[longest.end() - 1 :]}"
    return message


def _shortened(text: str, length: int) -> str:
    """Return the end of a dotted name, or the beginning of any other text."""
    if _DOTTED.fullmatch(text.removeprefix(_CUT)) and not text.endswith(_CUT):
        return _CUT + text[len(text) - length + len(_CUT) :].lstrip(".")
    return text.removesuffix(_CUT)[: length - len(_CUT)] + _CUT
