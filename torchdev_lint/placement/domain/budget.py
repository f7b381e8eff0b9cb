"""How much may be evaluated, so that time stays linear in the size of the file."""

from __future__ import annotations

from dataclasses import dataclass

MAX_STEPS = 60_000
"""Expressions evaluated from one entry point before the rest of it counts as unknown."""
MAX_DEPTH = 12
"""Nested calls that are followed."""


@dataclass(slots=True)
class Budget:
    """What may still be evaluated from the entry point at hand."""

    left: int = MAX_STEPS

    def spend(self) -> bool:
        """Take one step; False if there is none left."""
        self.left -= 1
        return self.left >= 0

    def renew(self) -> None:
        """Begin another entry point."""
        self.left = MAX_STEPS
