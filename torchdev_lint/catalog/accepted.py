"""What functions, classes and methods of PyTorch take: whatever else they are given raises.

`accepted.txt` is made from the installed PyTorch by `python -m tests.catalog.accepted`, and never
edited. In brackets stand how many arguments may be given by position, `*` for any number, and what
may be given by name; below that the functions and classes of which this holds. Methods of tensors
are called as `Tensor.mean`. It is read when a call is asked for that gives something by name.
"""

from __future__ import annotations

import os
from collections.abc import Set
from functools import cache
from typing import NamedTuple

from torchdev_lint.catalog.required import OTHER_NAMES

FILE = os.path.join(os.path.dirname(__file__), "accepted.txt")
ANY_NUMBER = "*"
_OF_NUMPY = {other: name for name, others in OTHER_NAMES.items() for other in others}


class Accepted(NamedTuple):
    """What calls may give.

    Args:
        most: how many arguments by position; None for any number.
        names: what by name.
    """

    most: int | None
    names: frozenset[str]


def refuses(name: str, positional: int, keywords: Set[str]) -> bool:
    """Return whether a call gives something that isn't taken, so that it raises a `TypeError`.

    Args:
        name: the dotted name of what is called.
        positional: how many arguments are given by position.
        keywords: those that are given by name.
    """
    accepted = table().get(name)
    if accepted is None:
        return False
    if accepted.most is not None and positional > accepted.most:
        return True
    return any(
        word not in accepted.names and _OF_NUMPY.get(word) not in accepted.names
        for word in keywords
    )


@cache
def table() -> dict[str, Accepted]:
    """Return what is accepted, by dotted names."""
    with open(FILE, encoding="ascii") as file:
        return parsed(file.read())


def parsed(text: str) -> dict[str, Accepted]:
    """Return what the file says, by dotted names."""
    found: dict[str, Accepted] = {}
    accepted = Accepted(None, frozenset())
    for line in text.splitlines():
        if line.startswith("["):
            most, *names = line.strip("[]").split()
            accepted = Accepted(None if most == ANY_NUMBER else int(most), frozenset(names))
        elif not line.startswith("#"):
            found.update((f"torch.{name}", accepted) for name in line.split())
    return found
