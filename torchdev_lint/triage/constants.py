"""Which variables may hold tensors that are made once, when a file is imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk


@dataclass(slots=True)
class Constants:
    """The variables of a module and its classes that may hold tensors.

    Args:
        names: what they are called.
        classes: the classes that have some.
        called: of the others, the functions that give them their values.
    """

    names: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    called: list[tuple[set[str], str, set[str]]] = field(default_factory=list)

    def note(
        self, statement: ast.stmt, owner: ast.ClassDef | None, makes: Callable[[ast.Call], bool]
    ) -> None:
        """Note what a statement binds that is run once.

        Args:
            owner: the class in whose body it stands.
            makes: whether a call makes a tensor that stays on the host.
        """
        for targets, value in _assigned_in(statement):
            calls = [node for node in walk(value) if isinstance(node, ast.Call)]
            if not calls:
                continue
            names = {p.id for t in targets for p in walk(t) if isinstance(p, ast.Name)}
            of_class = "" if owner is None else owner.name
            if any(map(makes, calls)):
                self._add(names, of_class)
            else:
                self.called.append((names, of_class, {last_component(c.func) for c in calls}))

    def settle(self, making: Set[str]) -> None:
        """Add the variables that functions give their values that make tensors.

        Args:
            making: the names of those functions.
        """
        for names, of_class, called in self.called:
            if not called.isdisjoint(making):
                self._add(names, of_class)

    def _add(self, names: set[str], of_class: str) -> None:
        self.names |= names
        if of_class:
            self.classes.add(of_class)


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
