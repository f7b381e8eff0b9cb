"""Which classes of a file inherit from which, by the names of their bases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import cached_property

from torchdev_lint.syntax.reaching import reached_from

_MANY = 100
"""How many classes of a file are asked one by one for those that they inherit from."""


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

    def heirs_of(self, names: Set[str]) -> set[str]:
        """Return what inherits from one of some classes, directly or by way of others."""
        steps = (self._heirs.get(name, frozenset[str]()) for name in names)
        return reached_from(set[str]().union(*steps), self._heirs)

    @cached_property
    def large_families(self) -> dict[str, frozenset[str]]:
        """The classes of the file that many others lead to, from base to heir or back.

        Each with all that lead there: who inherits from whom among these is too much to ask for
        each of them.
        """
        near = {name: above & self._bases.keys() for name, above in self._bases.items()}
        for name in self._bases:
            near[name] |= self._heirs.get(name, frozenset())
        found: dict[str, frozenset[str]] = {}
        left = set(near)
        while left:
            family = frozenset(reached_from({left.pop()}, near))
            left -= family
            if len(family) > _MANY:
                found.update(dict.fromkeys(family, family))
        return found

    def of(self, name: str) -> Set[str]:
        """Return a class of the file with those that it inherits from, or that inherit from it."""
        found = reached_from({name}, self._bases) | reached_from({name}, self._heirs)
        return found & self._bases.keys()
