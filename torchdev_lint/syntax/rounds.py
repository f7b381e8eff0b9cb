"""What a round of a loop may take from the round before."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import LISTS_OF_MODULES
from torchdev_lint.syntax.blocks import JUMPS
from torchdev_lint.syntax.scopes import stored
from torchdev_lint.syntax.walking import walk


def read_before_bound(loop: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    """Return the variables that a round may read before it has bound them itself.

    What the rounds before have left in all others makes no difference to it.
    """
    reading = _Reading()
    if isinstance(loop, ast.While):
        reading.note(loop.test)
        reading.branch(loop.body)
    else:
        reading.note(loop.target)
        reading.branch(loop.body, stored(loop.target))
    return frozenset(reading.read)


def chooses(loop: ast.For | ast.AsyncFor | ast.While) -> ast.If | None:
    """Return the `if` of a loop under which all stands that a round leaves to the next one.

    Whichever round is the first to come there, it finds what the loop began with.
    """
    *before, last = loop.body
    if not isinstance(loop, ast.For) or not isinstance(last, ast.If) or last.orelse:
        return None
    carried = read_before_bound(loop) if before else frozenset[str]()
    return last if all(_only_binds(statement, carried) for statement in before) else None


def names_of_parts(loop: ast.For | ast.AsyncFor | ast.While) -> frozenset[str]:
    """Return the targets of a loop over what a module has, which is the same whenever it is run."""
    if isinstance(loop, ast.While) or not _lists_parts(loop.iter):
        return frozenset()
    return frozenset(stored(loop.target))


def _lists_parts(source: ast.expr) -> bool:
    """Whether an expression lists parameters, buffers or modules, perhaps of several modules."""
    if not isinstance(source, ast.Call):
        return False
    if isinstance(source.func, ast.Attribute):
        return source.func.attr in LISTS_OF_MODULES and not source.args
    beside = isinstance(source.func, ast.Name) and source.func.id in {"enumerate", "list", "zip"}
    return beside and bool(source.args) and all(map(_lists_parts, source.args))


def _only_binds(statement: ast.stmt, carried: frozenset[str]) -> bool:
    """Whether a statement of a loop binds variables that no other round reads, without a call.

    Args:
        carried: the variables of which a round may see what the one before has left.
    """
    if not isinstance(statement, ast.Assign):
        return False
    if any(isinstance(node, (ast.Call, ast.Await, ast.Yield)) for node in walk(statement)):
        return False
    names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return len(names) == len(statement.targets) and names.isdisjoint(carried)


class _Reading:
    """Code, gone through from top to bottom.

    Args:
        bound: the variables that are certain to be bound at the place at hand.
        read: those that were read where they were not.
    """

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.read: set[str] = set()

    def note(self, code: ast.AST) -> None:
        """Note what code reads that has no branches, or is taken as a whole."""
        for part in walk(code):
            if isinstance(part, ast.AugAssign):
                part = part.target  # is read, and then bound
            elif not (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)):
                continue
            if isinstance(part, ast.Name) and part.id not in self.bound:
                self.read.add(part.id)

    def branch(self, body: list[ast.stmt], entered_with: set[str] | None = None) -> set[str] | None:
        """Go through statements; what they bind counts up to their end.

        Args:
            entered_with: the variables that are bound where they begin.

        Returns:
            What is certain to be bound at their end; None if control never gets there.
        """
        new: set[str] = set()
        self._bind(entered_with or set(), new)
        falls = all(self._step(statement, new) for statement in body)
        self.bound -= new
        return new if falls else None

    def _bind(self, names: set[str], new: set[str]) -> None:
        fresh = names - self.bound
        self.bound |= fresh
        new |= fresh

    def _step(self, statement: ast.stmt, new: set[str]) -> bool:
        """Go through a statement; returns whether control can get past it."""
        if isinstance(statement, ast.If):
            self.note(statement.test)
            ends = [self.branch(statement.body), self.branch(statement.orelse)]
            open_ends = [end for end in ends if end is not None]
            if not open_ends:
                return False
            self._bind(set.intersection(*open_ends), new)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            self.note(statement.iter)
            self.note(statement.target)
            self.branch(statement.body, stored(statement.target))
            self.branch(statement.orelse)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            for item in statement.items:
                self.note(item)
                self._bind(stored(item), new)
            inside = self.branch(statement.body)
            if inside is None:
                return False
            self._bind(inside, new)
        else:
            self.note(statement)
            if isinstance(statement, ast.Assign):
                self._bind(set().union(*map(stored, statement.targets)), new)
        return not isinstance(statement, JUMPS)
