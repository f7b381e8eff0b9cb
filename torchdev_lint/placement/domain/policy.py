"""What an operation asks of where its operands live."""

from __future__ import annotations

from enum import Enum


class Policy(Enum):
    """Which operands on the host an operation takes beside those on the accelerator.

    See the groups of the same names in `catalog.operations`.
    """

    ELEMENTWISE = "those that are 0-dim"
    BROADCAST = "those that are 0-dim, if all others are"
    CHECKED = "none; its result has the rank of its operands"
    STRICT = "none"
