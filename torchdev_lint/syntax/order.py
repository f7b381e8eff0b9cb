"""What certainly runs before or after what."""

from __future__ import annotations

import ast
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from torchdev_lint.syntax.bindings import Bindings, position
from torchdev_lint.syntax.scopes import COMPREHENSIONS, FUNCTIONS, LOOPS, Syntax
from torchdev_lint.syntax.walking import children, walk

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class _Place(NamedTuple):
    """Which statement of a block one is."""

    block: list[ast.stmt]
    number: int


class Order:
    """The order in which the parts of a file run.

    Args:
        syntax: the file's tree.
        bindings: what its names are bound to.
    """

    def __init__(self, syntax: Syntax, bindings: Bindings) -> None:
        self._syntax = syntax
        self._bindings = bindings
        self._places: dict[ast.AST, _Place] = {}
        self._leaving: dict[ast.stmt, list[int]] = {}
        self._resting: dict[ast.AST, list[tuple[int, int]]] | None = None

    def runs_before(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether a node has certainly been evaluated when another one is reached."""
        return self.tests_before(first, second) == []

    def tests_before(self, first: ast.AST, second: ast.AST) -> list[ast.expr] | None:
        """Return the conditions on which it depends that a node has run when another is reached.

        Each must have come out true. None: it depends on something else.
        """
        reached = self._meet(first, second)
        if reached is None:
            return None
        common, child, other, crossed = reached
        tests: list[ast.expr] = []
        for parent, part in crossed:
            if isinstance(parent, (ast.If, ast.IfExp)) and is_first_branch(parent, part):
                if not (isinstance(parent.test, ast.Constant) and parent.test.value):
                    tests.append(parent.test)
            elif not self._certainly_runs(parent, part):
                return None
        return tests if self._is_earlier(common, child, other) else None

    def follows(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether a node is certainly evaluated once another one was, if nothing fails."""
        if self._may_rest(first, second):
            return False
        if second in self._syntax.around(first):
            return self._runs_within(first, second)
        reached = self._meet(second, first)
        if reached is None:
            return False
        common, child, other, crossed = reached
        if any(not self._certainly_runs(parent, part) for parent, part in crossed):
            return False
        if any(self._may_leave_before(part) for _, part in crossed):
            return False
        if not self._stands_before(other, child):
            return child is other or _runs_whole(common)
        return not self._may_leave_between(other, child)

    def between(self, first: ast.AST, second: ast.AST) -> Iterator[ast.AST]:
        """Yield what may run from a node on until another one has, which follows it.

        Whole statements are gone through, so that it may be more.
        """
        reached = self._meet(second, first)
        if reached is not None and self._stands_before(reached[2], reached[1]):
            place = self._places[reached[2]]
            for statement in place.block[place.number : self._places[reached[1]].number + 1]:
                yield from walk(statement)
        else:
            yield from walk(self._syntax.statement(second) or second)

    def _runs_within(self, inner: ast.AST, outer: ast.AST) -> bool:
        """Whether a node is evaluated at once as a part of another one, if at all."""
        for part in self._syntax.around(inner):
            if part is outer:
                return True
            if isinstance(part, (ast.Lambda, ast.GeneratorExp, ast.stmt)):
                break
        return False

    def _meet(
        self, start: ast.AST, end: ast.AST
    ) -> tuple[ast.AST, ast.AST, ast.AST, list[tuple[ast.AST, ast.AST]]] | None:
        """The smallest part around two nodes, its parts they are in, and what is left for it."""
        above = [end, *self._syntax.around(end)]
        numbers = {part: number for number, part in enumerate(above)}
        crossed: list[tuple[ast.AST, ast.AST]] = []
        child = start
        for parent in self._syntax.around(start):
            if parent in numbers:
                number = numbers[parent]
                if not number:  # the one is a part of the other
                    return parent, child, child, [*crossed, (parent, child)]
                return parent, child, above[number - 1], crossed
            crossed.append((parent, child))
            child = parent
        return None

    def _certainly_runs(self, parent: ast.AST, child: ast.AST) -> bool:
        """Whether a part runs in any case when what it is a part of does."""
        if isinstance(parent, ast.IfExp):
            return child is parent.test
        if isinstance(parent, ast.BoolOp):
            return child is parent.values[0]
        if isinstance(parent, ast.Compare):
            return child is parent.left or child is parent.comparators[0]
        if isinstance(parent, (*COMPREHENSIONS, ast.comprehension)):
            return isinstance(parent, ast.comprehension) and child is parent.iter
        if isinstance(parent, (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.Assert)):
            return False
        if isinstance(parent, ast.Try):
            is_handled = bool(parent.handlers)
            return child in parent.finalbody or (child in parent.body and not is_handled)
        if isinstance(parent, (ast.With, ast.AsyncWith)):
            swallows = any(self._bindings.swallows(item.context_expr) for item in parent.items)
            return child not in parent.body or not swallows
        if isinstance(parent, (ast.If, ast.While)):
            return child is parent.test
        if isinstance(parent, (ast.For, ast.AsyncFor)):
            return child is parent.iter
        return not isinstance(parent, (ast.ExceptHandler, ast.match_case, ast.Match)) and (
            type(parent).__name__ != "TryStar"
        )

    def _is_earlier(self, common: ast.AST, child: ast.AST, other: ast.AST) -> bool:
        """Whether the one of two parts comes before the other."""
        if child is other:
            return False
        if self._stands_before(child, other):
            return True
        if common is self._syntax.tree:
            return self._bindings.starts_after(other, child)
        if isinstance(common, (ast.If, ast.While)):
            return child is common.test
        if isinstance(common, (ast.For, ast.AsyncFor)):
            return child is common.iter and other in common.body
        if isinstance(common, (ast.With, ast.AsyncWith)):
            return child in common.items and other in common.body
        if isinstance(common, ast.Try):
            return child in common.body and other in common.orelse
        if isinstance(common, ast.Call):
            parts = [common.func, *common.args, *common.keywords]
            return parts.index(child) < parts.index(other)
        return isinstance(common, ast.IfExp) and child is common.test

    def _stands_before(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether both are statements of one block, in that order."""
        start, end = self._place(first), self._place(second)
        if start is None or end is None:
            return False
        return start.block is end.block and start.number < end.number

    def _may_leave_between(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether control may leave a block from one of its statements on, before another one."""
        start, end = self._places[first], self._places[second]
        head = start.block[0]
        if head not in self._leaving:
            every = enumerate(start.block)
            self._leaving[head] = [number for number, part in every if leaves_block(part)]
        leaving = self._leaving[head]
        return bisect_left(leaving, start.number) < bisect_left(leaving, end.number)

    def _may_leave_before(self, part: ast.AST) -> bool:
        """Whether control may leave the block of a part before that, if it is a statement."""
        place = self._place(part)
        return place is not None and self._may_leave_between(place.block[0], part)

    def _may_rest(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether a function may be left for good between two nodes: a generator need not go on."""
        if self._resting is None:
            self._resting = defaultdict(list)
            for node in walk(self._syntax.tree):
                if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
                    insort(self._resting[self._syntax.scope(node)], position(node))
        resting = self._resting.get(self._syntax.scope(second), [])
        following = bisect_left(resting, position(first))
        end = getattr(second, "end_lineno", 0), getattr(second, "end_col_offset", 0)
        return following < len(resting) and resting[following] < end

    def _place(self, node: ast.AST) -> _Place | None:
        """Where among others a statement stands; a block is gone through once."""
        if isinstance(node, ast.stmt) and node not in self._places:
            parent = self._syntax.parent(node)
            for block in (getattr(parent, field, None) for field in _BLOCKS[:3]):
                if isinstance(block, list):
                    self._places.update((s, _Place(block, n)) for n, s in enumerate(block))
        return self._places.get(node)


def is_first_branch(parent: ast.If | ast.IfExp, child: ast.AST) -> bool:
    """Return whether a part is what runs where a condition is true, or is in it."""
    return child is parent.body or (isinstance(parent, ast.If) and child in parent.body)


def runs_with(statement: ast.stmt | ast.expr, node: ast.AST) -> bool:
    """Return whether a part of what has no block is evaluated whenever that one is."""
    return any(part is node for part in parts_that_run(statement))


def parts_that_run(statement: ast.stmt | ast.expr) -> Iterator[ast.AST]:
    """Yield the parts of what has no block that are evaluated whenever that one is."""
    pending: list[ast.AST] = [statement]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, ast.IfExp):
            pending.append(part.test)
        elif isinstance(part, ast.BoolOp):
            pending.append(part.values[0])
        elif isinstance(part, ast.Compare):
            pending += [part.left, part.comparators[0]]
        elif isinstance(part, COMPREHENSIONS):
            pending.append(part.generators[0].iter)
        elif not isinstance(part, ast.Lambda):
            pending += children(part)


def leaves_block(statement: ast.AST) -> bool:
    """Whether control may leave the block of a statement there."""
    pending, in_loop = [(statement, False)], False
    while pending:
        node, in_loop = pending.pop()
        if isinstance(node, (ast.Return, ast.Raise)):
            return True
        if isinstance(node, (ast.Break, ast.Continue)) and not in_loop:
            return True
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef, ast.expr)):
            inner = in_loop or isinstance(node, LOOPS)
            pending += [(child, inner) for child in ast.iter_child_nodes(node)]
    return False


def _runs_whole(node: ast.AST) -> bool:
    """Whether all the parts of a node run, or none."""
    if isinstance(node, ast.stmt):
        return not any(hasattr(node, field) for field in _BLOCKS)
    partial = (ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda, ast.comprehension, *COMPREHENSIONS)
    return not isinstance(node, partial)


def is_instead(syntax: Syntax, later: ast.AST, first: ast.AST) -> bool:
    """Return whether code stands in the other branch of a condition, and is run instead of some.

    Args:
        syntax: the tree of both.
        later: the code that stands behind the other.
    """
    around = set(syntax.around(first))
    child = later
    for part in syntax.around(later):
        if part in around and isinstance(part, ast.If) and child in part.orelse:
            return not around.isdisjoint(part.body)
        child = part
    return False
