"""What the enumerations have in common that values are made of."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """An enumeration whose members are parts of values, which are looked up all the time.

    There is one of each member, so identity will do; by default the name is hashed, in Python code.
    """

    __hash__ = object.__hash__
