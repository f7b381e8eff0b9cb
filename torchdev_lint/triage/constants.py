"""Which variables may hold tensors or modules that are made once, when a file is imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from dataclasses import field

from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import names_in
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.moves import MOVING


@dataclass(slots=True)
class Constants:
    """The variables of a module and its classes that may hold tensors, or modules.

    Args:
        made: what those are called that hold what a factory makes, or what is computed of that.
        built: what those are called that hold a module which is not moved where it is built.
        called: the others, with the functions that give them their values.
    """

    made: set[str] = field(default_factory=set)
    built: set[str] = field(default_factory=set)
    called: list[tuple[set[str], list[ast.expr]]] = field(default_factory=list)

    def note(
        self,
        statement: ast.stmt,
        makes: Callable[[ast.Call], bool],
        builds: Callable[[ast.Call], bool],
    ) -> None:
        """Note what a statement binds that is run once.

        Args:
            makes: whether a call makes a tensor that stays on the host.
            builds: whether a call builds a module.
        """
        for targets, value in _assigned_in(statement):
            calls = [node for node in walk(value) if isinstance(node, ast.Call)]
            names = {p.id for t in targets for p in walk(t) if isinstance(p, ast.Name)}
            if any(map(makes, calls)) or not self.made.isdisjoint(names_in(value)):
                self.made |= names
            elif any(map(builds, calls)) and not any(map(_moves, calls)):
                self.built |= names
            elif calls:
                self.called.append((names, [call.func for call in calls]))

    def holding(self, names: Set[str], gives: Callable[[ast.expr], bool]) -> set[str]:
        """Return which of some variables may hold tensors.

        Args:
            gives: whether a function gives a tensor that it makes on the host.
        """
        found = self.made & names
        for bound, functions in self.called:
            if not bound.isdisjoint(names) and any(map(gives, functions)):
                found |= bound
        return found


def _moves(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in MOVING


def _assigned_in(statement: ast.stmt) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield what a statement that is run once assigns, in whatever branch: targets and value."""
    pending = [statement]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Assign):
            yield part.targets, part.value
        elif isinstance(part, ast.AnnAssign):
            if part.value is not None:
                yield [part.target], part.value
        elif isinstance(part, (ast.If, ast.Try, ast.With)):
            for name in ("body", "orelse", "finalbody"):
                pending += getattr(part, name, ())
