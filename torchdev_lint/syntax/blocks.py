"""The statements of one piece of code, block by block, and which of them control may leave."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from torchdev_lint.records import dataclass, replace

JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
"""Statements after which control goes on elsewhere."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """How control goes on from a statement, or from a block.

    Args:
        ends: whether it may go on with the next statement.
        breaks: whether it may leave the loop around.
        continues: whether it may go on with the next round of the loop around.
    """

    ends: bool = True
    breaks: bool = False
    continues: bool = False

    def then(self, following: Leaving) -> Leaving:
        """Return how control goes on if something follows."""
        if not self.ends:
            return self
        return Leaving(
            following.ends, self.breaks or following.breaks, self.continues or following.continues
        )

    def or_else(self, other: Leaving) -> Leaving:
        """Return how control goes on if it goes either way."""
        return Leaving(
            self.ends or other.ends,
            self.breaks or other.breaks,
            self.continues or other.continues,
        )


_ENDS = Leaving()
_NOWHERE = Leaving(ends=False)


class Blocks:
    """Where the statements of a function, class or module stand, and which of them may jump.

    What runs at another time or in a scope of its own, the bodies of functions and classes in it,
    is left out.

    Args:
        body: its statements.
        swallows: whether a context manager may swallow an exception.
    """

    def __init__(self, body: Sequence[ast.stmt], swallows: Callable[[ast.expr], bool]) -> None:
        self.body = body
        self.swallows = swallows
        self._places: dict[ast.AST, tuple[Sequence[ast.stmt], int]] = {}
        self._leaving: dict[ast.stmt, Leaving] = {}
        self._jumps: dict[int, list[int]] = {}
        self._block(body)

    def place(self, node: ast.AST) -> tuple[Sequence[ast.stmt], int] | None:
        """Return the block that a statement stands in, and its number; None: not of this code."""
        return self._places.get(node)

    def jumps(self, block: Sequence[ast.stmt]) -> list[int]:
        """Return the numbers of the statements of a block that may not simply end."""
        return self._jumps.get(id(block), [])

    def leaving(self, statement: ast.stmt) -> Leaving:
        """Return how control goes on from a statement."""
        return self._leaving.get(statement, _ENDS)

    def _block(self, block: Sequence[ast.stmt]) -> Leaving:
        jumps = self._jumps.setdefault(id(block), [])
        whole = _ENDS
        for number, statement in enumerate(block):
            self._places[statement] = block, number
            leaving = self._statement(statement)
            if leaving != _ENDS:
                self._leaving[statement] = leaving
                jumps.append(number)
            whole = whole.then(leaving)
        return whole

    def _statement(self, statement: ast.stmt) -> Leaving:
        match statement:
            case ast.Return() | ast.Raise():
                return _NOWHERE
            case ast.Break():
                return Leaving(ends=False, breaks=True)
            case ast.Continue():
                return Leaving(ends=False, continues=True)
            case ast.If():
                return self._if(statement)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(statement)
            case ast.With() | ast.AsyncWith():
                swallows = any(self.swallows(item.context_expr) for item in statement.items)
                return self._one_of([statement.body], _ENDS if swallows else _NOWHERE)
            case ast.Match():
                return self._one_of([case.body for case in statement.cases], _ENDS)
        if hasattr(statement, "handlers"):
            return self._try(statement)  # type: ignore[arg-type]  # `TryStar` has the same fields
        return _ENDS

    def _one_of(self, blocks: Iterable[Sequence[ast.stmt]], otherwise: Leaving) -> Leaving:
        for block in blocks:
            otherwise = otherwise.or_else(self._block(block))
        return otherwise

    def _if(self, statement: ast.If) -> Leaving:
        """A chain of `elif` is gone through without recursion: it may be long."""
        blocks = [statement.body]
        while isinstance(inner := next(iter(statement.orelse), None), ast.If) and (
            len(statement.orelse) == 1
        ):
            statement = inner
            blocks.append(statement.body)
        return self._one_of([*blocks, statement.orelse], _NOWHERE)

    def _loop(self, loop: ast.For | ast.AsyncFor | ast.While) -> Leaving:
        inner, after = self._block(loop.body), self._block(loop.orelse)
        if is_endless(loop):
            after = _NOWHERE
        return after.or_else(_ENDS) if inner.breaks else after

    def _try(self, statement: ast.Try) -> Leaving:
        whole = self._block(statement.body).then(self._block(statement.orelse))
        whole = self._one_of([handler.body for handler in statement.handlers], whole)
        last = self._block(statement.finalbody)  # runs however the rest is left
        return replace(last.or_else(whole), ends=whole.ends and last.ends)


def is_endless(loop: ast.AST) -> bool:
    """Whether a loop goes on until something leaves it."""
    test = loop.test if isinstance(loop, ast.While) else None
    return isinstance(test, ast.Constant) and bool(test.value)
