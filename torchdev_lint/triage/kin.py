"""Which classes of a file inherit from which, by the names of their bases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from torchdev_lint.syntax.reaching import reached_from


class Kin:
    """The classes of a file, and what they inherit from.

    Args:
        bases: the names of each class's bases, also of those that other files define.
    """

    def __init__(self, bases: Mapping[str, Iterable[str]]) -> None:
        self._bases = {name: set(above) for name, above in bases.items()}
        self._heirs: dict[str, set[str]] = defaultdict(set)
        for name, above in self._bases.items():
            for base in above:
                self._heirs[base].add(name)

    @property
    def outer(self) -> set[str]:
        """What classes of the file inherit from that others define."""
        return self._heirs.keys() - self._bases.keys()

    def above(self, name: str) -> set[str]:
        """Return what a class inherits from, directly or by way of others of the file."""
        return reached_from({name}, self._bases) - {name}

    def below(self, name: str) -> set[str]:
        """Return a class of the file with those that inherit from it."""
        return reached_from({name}, self._heirs) & self._bases.keys()

    def of(self, name: str) -> set[str]:
        """Return a class of the file with those that it inherits from, or that inherit from it."""
        found = reached_from({name}, self._bases) | reached_from({name}, self._heirs)
        return found & self._bases.keys()
