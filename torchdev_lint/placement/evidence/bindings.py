"""Which part of a scope sees a variable hold what it holds at one place."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.syntax.lost_bindings import LostBinding, lost_bindings
from torchdev_lint.syntax.names import names_in, path_of
from torchdev_lint.syntax.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    bound_in,
    own_nodes,
    stored,
    targets_of,
)
from torchdev_lint.syntax.walking import CHILD_FIELDS


class Sight:
    """What of a scope sees what.

    What is assigned in a block is what the rest of that block sees, and what a loop takes is what
    its body sees. Where the place in question is in there as well, it may be the same thing. A
    variable of a function or comprehension inside is another one.

    Args:
        scope: a function, class or module.
    """

    def __init__(self, scope: ast.AST) -> None:
        self._scope = scope
        self._slots: dict[ast.AST, tuple[ast.AST, str, int]] = {}
        self._binders: dict[str, list[ast.AST]] = {}
        self._takers: dict[str, list[tuple[ast.Call, int]]] = {}
        self._lost: dict[ast.AST, list[LostBinding]] | None = None
        pending = [scope]
        while pending:
            node = pending.pop()
            if isinstance(node, _BINDERS) and node is not scope:
                for name in _bound_by(node):
                    self._binders.setdefault(name, []).append(node)
            if isinstance(node, ast.Call):
                self._note_taken(node)
            for field in CHILD_FIELDS[type(node)]:
                for number, part in enumerate(_parts(node, field)):
                    self._slots[part] = (node, field, number)
                    pending.append(part)

    def _note_taken(self, call: ast.Call) -> None:
        for position, argument in enumerate(call.args):
            if (path := path_of(argument)) is not None:
                self._takers.setdefault(path, []).append((call, position))

    def takers(self, path: str) -> Sequence[tuple[ast.Call, int]]:
        """Return the calls that are given what a path holds, as it is, each with its position."""
        return self._takers.get(path, ())

    def lost(self, statement: ast.Assign) -> list[LostBinding]:
        """Return the moves that a statement of the scope binds to variables for nothing."""
        if self._lost is None:
            self._lost = {}
            for lost in lost_bindings(self._scope, MOVES):
                self._lost.setdefault(lost.statement, []).append(lost)
        return self._lost.get(statement, [])

    @cached_property
    def given_back(self) -> list[ast.Return | ast.Yield]:
        """Where the scope gives something back, but for functions in it."""
        own = own_nodes(self._scope)
        return [node for node in own if isinstance(node, (ast.Return, ast.Yield))]

    def nodes_that_see(self, name: str, place: ast.AST) -> list[ast.AST] | None:
        """Return the nodes of the scope, without those that see a variable hold something else.

        Args:
            name: the variable.
            place: where it is asked for.

        Returns:
            The nodes; None if these are all of the scope's.
        """
        binders = self._binders.get(name)
        hiding = self._hiding(binders, place) if binders else set()
        if not hiding:
            return None
        seen: list[ast.AST] = []
        pending: list[ast.AST] = [self._scope]
        while pending:
            node = pending.pop()
            seen.append(node)
            for field in CHILD_FIELDS[type(node)]:
                for part in _seen_parts(node, field) if node in hiding else _parts(node, field):
                    pending.append(part)
                    if part in hiding and isinstance(part, ast.Assign):
                        break
        return seen

    def _hiding(self, binders: list[ast.AST], place: ast.AST) -> set[ast.AST]:
        """What binds a variable for code in which, or behind which, the place is not."""
        around = {place}
        reached: dict[tuple[ast.AST, str], int] = {}
        while place in self._slots:
            parent, field, number = self._slots[place]
            reached[parent, field] = number
            around.add(parent)
            place = parent
        hiding = set[ast.AST]()
        for binder in binders:
            parent, field, number = self._slots[binder]
            if isinstance(binder, ast.Assign):
                hidden = number > reached.get((parent, field), -1)
            else:
                hidden = binder not in around
            hiding |= {binder} if hidden else set()
        return hiding


def _parts(node: ast.AST, field: str) -> list[ast.AST]:
    """The nodes that a field of a node holds."""
    value = getattr(node, field, None)
    every = value if isinstance(value, list) else [value]
    return [part for part in every if part is not None]


def _seen_parts(node: ast.AST, field: str) -> list[ast.AST]:
    """The nodes of a field that see what a variable held before, of something that binds it."""
    if isinstance(node, COMPREHENSIONS):
        return [node.generators[0].iter] if field == "generators" else []
    return _parts(node, field) if field != "body" or isinstance(node, ast.Assign) else []


_BINDERS = (*FUNCTIONS, ast.Lambda, *COMPREHENSIONS, ast.For, ast.AsyncFor, ast.Assign)


def _bound_by(node: ast.AST) -> set[str]:
    """The variables that a loop takes, or an assignment gives what isn't made of what they hold.

    Or those of a function or comprehension of its own.
    """
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        return bound_in(node)
    if isinstance(node, COMPREHENSIONS):
        return targets_of(node)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return stored(node.target)
    if isinstance(node, ast.Assign):
        return set().union(*map(stored, node.targets)) - names_in(node.value)
    return set()
