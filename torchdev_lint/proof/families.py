"""Which classes of a file may inherit from which, by the names that stand among their bases."""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from functools import cached_property

from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.walking import walk

_MOST_ABOVE = 100
"""How many classes a near heir has above it; of a lineage fewer are known."""


class Families:
    """The classes of a file and their heirs.

    Args:
        classes: the classes.
    """

    def __init__(self, classes: Iterable[ast.ClassDef]) -> None:
        self._named: dict[str, list[ast.ClassDef]] = defaultdict(list)
        self._heirs: dict[str, set[str]] = defaultdict(set)
        self._families: dict[str, str] = {}
        self._known: dict[str, frozenset[ast.ClassDef]] = {}
        for info in classes:
            self._named[info.name].append(info)
            for base in info.bases:
                for name in words(base):
                    self._heirs[name].add(info.name)
        for name, heirs in self._heirs.items():
            if name in self._named:
                for heir in heirs:
                    self._families[self.of(name)] = self.of(heir)

    def has(self, name: str) -> bool:
        """Return whether there is a class of a name."""
        return name in self._named

    def heirs(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """Return the classes of a class's name, and those that may inherit from one of these."""
        names = reached_from({owner.name}, self._heirs)
        return [info for name in sorted(names) for info in self._named[name]]

    def may_have_heirs(self, owner: ast.ClassDef) -> bool:
        """Return whether another class of the file has a class's name, or names it as a base."""
        return owner.name in self._heirs or self._named[owner.name] != [owner]

    def near_heirs(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """Return the other classes among its heirs, but for those with many others between."""
        names = {owner.name} | self._near.get(owner.name, set())
        return [info for name in names for info in self._named[name] if info is not owner]

    @cached_property
    def _near(self) -> dict[str, set[str]]:
        """The heirs of each class, found from them: what all have above them is less than below."""
        found: dict[str, set[str]] = defaultdict(set)
        for name in self._named:
            above, pending = {name}, deque([name])
            while pending and len(above) < _MOST_ABOVE:
                new = self._bases[pending.popleft()] - above
                above |= new
                pending += sorted(new)
            for each in above - {name}:
                found[each].add(name)
        return found

    @cached_property
    def _bases(self) -> dict[str, set[str]]:
        bases: dict[str, set[str]] = {name: set() for name in self._named}
        for name, heirs in self._heirs.items():
            for heir in heirs if name in self._named else ():
                bases[heir].add(name)
        return bases

    def have_common_heir(self, first: ast.ClassDef, second: ast.ClassDef) -> bool:
        """Return whether an object may be of both of two classes: a class is its own heir."""
        return not self._all_heirs(first).isdisjoint(self._all_heirs(second))

    def _all_heirs(self, owner: ast.ClassDef) -> frozenset[ast.ClassDef]:
        if owner.name not in self._known:
            self._known[owner.name] = frozenset(self.heirs(owner))
        return self._known[owner.name]

    def of(self, name: str) -> str:
        """Return what stands for all that may inherit from one class, or have a common heir.

        Args:
            name: the name of one of them.
        """
        while self._families.setdefault(name, name) != name:
            self._families[name] = name = self._families[self._families[name]]
        return name


def words(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes that stand in a node."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def families_in(tree: ast.AST) -> Families:
    """Return the families of all classes of a tree."""
    return Families(node for node in walk(tree) if isinstance(node, ast.ClassDef))
