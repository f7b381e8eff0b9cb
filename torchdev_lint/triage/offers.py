"""What a file may be used for that leads to a finding where it is used."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """What files offer to one that imports them, going by names.

    Args:
        functions: functions and classes whose use may lead to something.
        methods: methods of which the same is true, of whatever class.
        modules: classes that are modules.
        loaders: classes that are data loaders.
    """

    functions: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    loaders: frozenset[str] = frozenset()

    def named(self, name: str, known_as: str) -> Offer:
        """Return what one name offers to who imports it: all methods, if it may be a class of them.

        Args:
            name: the name.
            known_as: what it is called there.
        """
        called = frozenset({known_as})
        nothing = frozenset[str]()
        return Offer(
            called if name in self.functions else nothing,
            self.methods if name in self.functions | self.modules else nothing,
            called if name in self.modules else nothing,
            called if name in self.loaders else nothing,
        )

    def __or__(self, other: Offer) -> Offer:
        """What both offer."""
        return Offer(
            self.functions | other.functions,
            self.methods | other.methods,
            self.modules | other.modules,
            self.loaders | other.loaders,
        )


NOTHING = Offer()

Position = tuple[int, int]
"""Line and column of a definition: its file may be parsed anew, into other nodes."""


def position_of(node: ast.AST) -> Position:
    """Where a function, class or module begins."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
