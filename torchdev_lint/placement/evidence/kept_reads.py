"""Where that is read what was put into an attribute, or into what a variable holds."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.order import is_instead
from torchdev_lint.syntax.scopes import Syntax


class Reads:
    """The reads of an attribute in one class."""

    def __init__(self) -> None:
        self._by_function: dict[ast.AST, list[ast.Attribute]] = defaultdict(list)
        self._elsewhere: list[tuple[ast.AST, ast.Attribute]] = []

    def add(self, read: ast.Attribute, function: ast.AST, is_set_anew: bool) -> None:
        """Add one.

        Args:
            read: where it is read.
            function: the function in which that is.
            is_set_anew: whether that has certainly assigned it before.
        """
        self._by_function[function].append(read)
        if not is_set_anew:
            self._elsewhere.append((function, read))

    def behind(self, target: ast.Attribute, syntax: Syntax) -> Iterator[ast.Attribute]:
        """Yield where what is assigned there may be read: in other functions, or behind it."""
        own = syntax.scope(target)
        for read in self._by_function.get(own, ()):
            if position(read) <= position(target):
                if syntax.loop(target) is not None:
                    yield read
            elif not is_instead(syntax, read, target):
                yield read
        for function, read in self._elsewhere:
            if function is not own:
                yield read


class KeptReads:
    """The reads of attributes of the objects of classes, sorted once for each attribute.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
    """

    def __init__(self, syntax: Syntax, proof: Proof) -> None:
        self._syntax = syntax
        self._proof = proof
        self._sorted: dict[tuple[str, str], dict[ast.ClassDef, Reads]] = {}

    def of(self, attr: str, owner_name: str, owner: ast.ClassDef) -> Reads:
        """Return the reads of an attribute in a class.

        Args:
            attr: the attribute.
            owner_name: what the object is called, as in `self`.
            owner: the class.
        """
        key = attr, owner_name
        if key not in self._sorted:
            self._sorted[key] = self._sort(attr, owner_name)
        return self._sorted[key].get(owner, Reads())

    def _sort(self, attr: str, owner_name: str) -> dict[ast.ClassDef, Reads]:
        found: dict[ast.ClassDef, Reads] = defaultdict(Reads)
        first_set: dict[ast.AST, ast.Attribute] = {}
        for each in self._proof.mentions.stores(attr):
            if _is_of(each, owner_name) and self._is_plain(each):
                first_set.setdefault(self._syntax.scope(each), each)
        for read in self._proof.mentions.lookups(attr):
            if not _is_of(read, owner_name):
                continue
            function = self._syntax.scope(read)
            store = first_set.get(function)
            is_set_anew = store is not None and self._proof.order.runs_before(store, read)
            for owner in self._syntax.around(read):
                if isinstance(owner, ast.ClassDef):
                    found[owner].add(read, function, is_set_anew)
        return found

    def _is_plain(self, store: ast.Attribute) -> bool:
        """Whether an attribute gets something else there, and not more of what it holds."""
        is_more = isinstance(self._syntax.parent(store), ast.AugAssign)
        return isinstance(store.ctx, ast.Store) and not is_more


def _is_of(attribute: ast.Attribute, name: str) -> bool:
    return isinstance(attribute.value, ast.Name) and attribute.value.id == name


class Behind(NamedTuple):
    """That something is held by a variable from a place on: it was put into what that holds.

    Args:
        name: the variable.
        scope: its scope.
        place: line and column.
    """

    name: str
    scope: ast.AST
    place: tuple[int, int]


Known: TypeAlias = "dict[tuple[str, ast.AST], tuple[int, int]]"
"""From where on the reads of variables have been gone through."""


class LaterReads:
    """The reads of variables, in the order of the text.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._sorted: dict[tuple[str, ast.AST], list[ast.Name]] = {}

    def of(self, behind: Behind, known: Known) -> list[ast.Name]:
        """Return where a variable is read behind a place, but for what is known already.

        Args:
            behind: the variable, and the place.
            known: what is known already, to which this is added.
        """
        key, end = (behind.name, behind.scope), known.get((behind.name, behind.scope))
        if end is not None and end <= behind.place:
            return []
        if key not in self._sorted:
            named = self._syntax.named(behind.name, behind.scope)
            loads = (name for name in named if isinstance(name.ctx, ast.Load))
            self._sorted[key] = sorted(loads, key=position)
        known[key], reads = behind.place, self._sorted[key]
        last = len(reads) if end is None else bisect_right(reads, end, key=position)
        return reads[bisect_right(reads, behind.place, key=position) : last]
