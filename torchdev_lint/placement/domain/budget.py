"""How much may be evaluated, so that time stays linear in the size of the file.

What is left out once a budget is spent is unknown, hence silent.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_DEPTH = 12
"""Nested calls that are followed."""
_BASE = 10_000
"""Expressions that may be evaluated in any file."""
_FOR_EACH_NODE = 3
"""Expressions that may be evaluated for each node of the file's tree."""
_SHARE = 2
"""The part of what is left that one entry point may use: the half."""
_NEST_BASE = 500
_NEST_FOR_EACH_NODE = 6
"""Expressions that may be evaluated in a nest of loops for each of its nodes."""


@dataclass(slots=True)
class Budget:
    """What may still be evaluated.

    Args:
        total: how many expressions in the whole file.
        used: how many were evaluated so far.
        limit: how many may have been when the entry point at hand ends.
    """

    total: int = _BASE
    used: int = 0
    limit: int = _BASE

    @classmethod
    def for_file(cls, nodes: int) -> Budget:
        """Make the budget of a file whose tree has so many nodes."""
        total = _BASE + _FOR_EACH_NODE * nodes
        return cls(total, limit=total)

    def spend(self) -> bool:
        """Take one step; False if there is none left."""
        self.used += 1
        return self.used <= self.limit

    def begin_entry(self) -> int:
        """Begin another entry point, which may use half of what is left: others come behind it.

        Returns:
            The limit of the one around it, to be given back at its end.
        """
        around = self.limit
        self.limit = min(around, self.used + max(self.total - self.used, 0) // _SHARE)
        return around

    def end_entry(self, around: int) -> None:
        """Go on with the entry point around the one that ends."""
        self.limit = around

    def nest_limit(self, nodes: int) -> int:
        """How many may have been evaluated when a nest of loops with so many nodes ends."""
        return self.used + _NEST_BASE + _NEST_FOR_EACH_NODE * nodes
