"""What a `.gitignore` file says of paths, as git reads it.

Patterns become regular expressions over the bytes of paths, each byte as one character. No
expression takes more than a few steps for each character of a path, whatever the pattern: where a
star is followed by another one, what stands between them is matched where it can first be found,
and never looked for again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import TypeAlias

from torchdev_lint.records import dataclass

_SPECIAL = re.compile(r"[*?\[\\]")
_BOM = "\ufeff".encode()

_BYTES = [chr(number) for number in range(256)]
_ASCII = _BYTES[:128]
_CLASSES: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": lambda char: char in " \t",
    "cntrl": lambda char: char < " " or char == "\x7f",
    "digit": str.isdigit,
    "graph": lambda char: "!" <= char <= "~",
    "lower": str.islower,
    "print": lambda char: " " <= char <= "~",
    "punct": lambda char: "!" <= char <= "~" and not char.isalnum(),
    "space": lambda char: char in " \t\n\v\f\r",
    "upper": str.isupper,
    "xdigit": lambda char: char in "0123456789abcdefABCDEF",
}

_STAR, _ANYTHING, _FOLDERS = "[^/]*", ".*", "(?:.*/)?"
"""A star, two that match slashes too, and two with a slash behind: any folders, or none."""
_LAZY = {_STAR: "[^/]*?", _ANYTHING: ".*?", _FOLDERS: "(?:.*?/)??"}
"""The same, matching as little as goes."""
_CLASS = re.compile(r"\[:([^\]]*):\]")

_Item: TypeAlias = str
"""A part of a regular expression: one of the above, or what matches one character."""


class _Never(Exception):
    """The pattern matches nothing."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line.

    Args:
        ignores: whether what it matches is ignored; otherwise it is taken back.
        only_folders: whether it matches nothing but folders.
        only_names: whether it is about the last part of a path, wherever that is.
        matches: whether it matches a path, or a name.
    """

    ignores: bool
    only_folders: bool
    only_names: bool
    matches: Callable[[str], object]


class GitIgnore:
    """One `.gitignore` file.

    Args:
        folder: the folder that it is in.
        data: what it holds.
    """

    def __init__(self, folder: str, data: bytes) -> None:
        self._above = len(folder.rstrip(os.sep)) + 1
        lines = data.removeprefix(_BOM).split(b"\n")
        patterns = (_pattern(_as_text(line.removesuffix(b"\r"))) for line in lines)
        self._patterns = [pattern for pattern in patterns if pattern is not None][::-1]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Tell whether it ignores (or, by `!`, re-includes) a path; None: it says nothing.

        Args:
            path: a path below its folder.
            is_folder: whether a folder, and not a link to one, is there.
        """
        relative = _as_text(os.fsencode(path[self._above :].replace(os.sep, "/")))
        name = relative[relative.rfind("/") + 1 :]
        for pattern in self._patterns:
            if pattern.only_folders and not is_folder:
                continue
            if pattern.matches(name if pattern.only_names else relative):
                return pattern.ignores
        return None


def _as_text(data: bytes) -> str:
    return data.decode("latin-1")


def _pattern(line: str) -> _Pattern | None:
    """Read a line; None if it holds no pattern."""
    line = line.partition("\0")[0]
    if not line or line.startswith("#"):
        return None
    line = _without_trailing_spaces(line)
    ignores = not line.startswith("!")
    text = line if ignores else line[1:]
    only_folders = text.endswith("/")
    text = text.removesuffix("/")
    only_names = "/" not in text
    try:
        matches = _matcher(text.removeprefix("/"), only_names)
    except _Never:
        return None
    return _Pattern(ignores, only_folders, only_names, matches)


def _without_trailing_spaces(line: str) -> str:
    """Leave out spaces at the end, but for one with a backslash before it."""
    end = at = 0
    while at < len(line):
        escaped = line[at] == "\\"
        at += 2 if escaped else 1
        if escaped or line[at - 1] != " ":
            end = at
    return line[:end]


@lru_cache(maxsize=4096)
def _matcher(text: str, only_names: bool) -> Callable[[str], object]:
    """Return what tells whether a pattern matches a path, or a name.

    Raises:
        _Never: it matches nothing.
    """
    special = _SPECIAL.search(text)
    if special is None:
        return text.__eq__
    # What comes before the first special character is compared as it is, and what comes then is
    # read as if the pattern began there: two stars there are at a beginning.
    literal, rest = text[: special.start()], text[special.start() :]
    if only_names:
        literal, rest = "", text
    items = [*map(re.escape, literal), *_items(rest, whole=only_names)]
    return re.compile(_expression(items), re.DOTALL).fullmatch


def _items(text: str, whole: bool) -> Iterator[_Item]:
    """Yield what a pattern is made of.

    Args:
        text: the pattern.
        whole: whether it is about names, in which stars are all alike.
    """
    at = 0
    while at < len(text):
        char = text[at]
        if char == "*":
            after = at
            while text.startswith("*", after):
                after += 1
            begins = at == 0 or text[at - 1] == "/"
            ends = after == len(text) or text.startswith(("/", "\\/"), after)
            if whole or after - at == 1 or not (begins and ends):
                yield _STAR
            elif text.startswith("/", after):
                yield _FOLDERS
                after += 1
            else:
                yield _ANYTHING
            at = after
        elif char == "[":
            item, at = _set(text, at)
            yield item
        else:
            at += char == "\\"
            if at == len(text):
                raise _Never
            yield "[^/]" if char == "?" else re.escape(text[at])
            at += 1


def _set(text: str, at: int) -> tuple[_Item, int]:
    """Return what matches one of a set of characters, and where the set ends.

    Args:
        text: the pattern.
        at: where its bracket is.
    """
    at += 1
    negated = text.startswith(("!", "^"), at)
    at += negated
    members: set[str] = set()
    begins, before = at, ""
    while at == begins or not text.startswith("]", at):
        named = _CLASS.match(text, at)
        if text.startswith("-", at) and before and text[at + 1 : at + 2] not in ("", "]"):
            last, at = _member(text, at + 1)
            members.update(char for char in _BYTES if before <= char <= last)
            before = ""
        elif named is not None:
            if named[1] not in _CLASSES:
                raise _Never
            members.update(filter(_CLASSES[named[1]], _ASCII))
            before, at = "", named.end()
        else:
            before, at = _member(text, at)
            members.add(before)
    chosen = [char for char in _BYTES if (char in members) != negated and char != "/"]
    if not chosen:
        raise _Never
    return f"[{''.join(map(re.escape, chosen))}]", at + 1


def _member(text: str, at: int) -> tuple[str, int]:
    """Return a character of a set, and where the next one is."""
    at += text.startswith("\\", at)
    if at >= len(text):
        raise _Never
    return text[at], at + 1


def _expression(items: Sequence[_Item]) -> str:
    """Put a pattern together: what stands between stars is matched where it is found first.

    A later place would leave less to the star that follows, so that nothing else has to be tried.
    """
    *others, last = _split(items, (_FOLDERS, _ANYTHING))
    groups = count(1)
    parts = [_wide(star, part, groups) for star, part in others]
    return "".join([*parts, last[0], _narrow(last[1], groups)])


def _wide(star: str, part: Sequence[_Item], groups: Iterator[int]) -> str:
    """What stands between two stars that match slashes, with the first of them."""
    text = _narrow(part, groups)
    return _once(_LAZY[star] + text, groups) if star else text


def _narrow(items: Sequence[_Item], groups: Iterator[int]) -> str:
    """A part in which no star matches slashes."""
    text = ""
    for slash, names in _split(items, ("/",)):
        text += slash
        *others, last = _split(names, (_STAR,))
        for star, part in others:
            text += _once(_LAZY[star] + "".join(part), groups) if star else "".join(part)
        text += last[0] + "".join(last[1])
    return text


def _once(text: str, groups: Iterator[int]) -> str:
    """An expression that is not tried again another way once it has matched."""
    number = next(groups)
    return f"(?=(?P<g{number}>{text}))(?P=g{number})"


def _split(items: Sequence[_Item], marks: Sequence[_Item]) -> list[tuple[str, list[_Item]]]:
    """Split before marks; return each with what follows it, the first without a mark."""
    parts: list[tuple[str, list[_Item]]] = [("", [])]
    for item in items:
        if item in marks:
            parts.append((item, []))
        else:
            parts[-1][1].append(item)
    return parts
