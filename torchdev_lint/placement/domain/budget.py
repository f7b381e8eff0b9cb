"""How much work may be done, so that time stays linear in the size of the file.

The unit is an expression that is evaluated. Copying, joining and comparing states counts as well,
by how much there is in them. What is left out once a budget is spent is unknown, hence silent.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_DEPTH = 12
"""Nested calls that are followed."""
_BASE = 10_000
"""Expressions that may be evaluated in any file."""
_FOR_EACH_NODE = 3
"""Expressions that may be evaluated for each node of the file's tree."""
_MOST = 1_000_000
"""Expressions that may be evaluated at the most, however large the file is."""
_COPIED = 8
"""The binary logarithm of how many entries of a dict are copied in the time of an expression."""
_VISITED = 5
"""The same of how many entries are looked at, one by one."""
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
        total = min(_BASE + _FOR_EACH_NODE * nodes, _MOST)
        return cls(total, limit=total)

    def spend(self) -> bool:
        """Take one step; False if there is none left."""
        self.used += 1
        return self.used <= self.limit

    @property
    def is_spent(self) -> bool:
        """Whether nothing may be evaluated any more by the entry point at hand."""
        return self.used >= self.limit

    @property
    def is_spent_for_good(self) -> bool:
        """Whether nothing may be evaluated any more in the whole file."""
        return self.used + _SHARE > self.total

    def copied(self, entries: int) -> None:
        """Count that a state with so many entries was copied."""
        self.used += entries >> _COPIED

    def visited(self, entries: int) -> None:
        """Count that so many entries were compared, or searched for some of them."""
        self.used += entries >> _VISITED

    def joined(self, values: int) -> None:
        """Count that so many values were joined with others."""
        self.used += values

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
