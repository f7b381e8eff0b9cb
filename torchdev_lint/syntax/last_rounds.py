"""Which branches of a loop's last statement are taken in its last round: no other follows.

So does `else` in `for i in range(n): ...; if i < n - 1: ... else: ...`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.stores import stored_names
from torchdev_lint.syntax.walking import walk

Branch = tuple[ast.If, bool]
"""A condition, and whether it holds there."""

_IF_TRUE = (ast.Eq, ast.GtE)
"""Comparisons of the loop's number with its last one that hold in the last round alone."""
_IF_FALSE = (ast.NotEq, ast.Lt)
_TURNED = {ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
"""How comparisons read from the other side."""


def last_branches(loop: ast.For | ast.AsyncFor) -> frozenset[Branch]:
    """Return the branches after which a loop ends, since its number is the last one.

    Args:
        loop: one over `range(...)` or `enumerate(...)`.
    """
    counted = _counted(loop)
    if counted is None or loop.orelse:
        return frozenset()
    number, count = counted
    found = frozenset(_among(loop.body[-1], number, ast.unparse(count)))
    if found:
        stored = stored_names([node for part in loop.body for node in walk(part)])
        if not stored.isdisjoint({number, *_names_in(count)}):
            return frozenset()
    return found


def _counted(loop: ast.For | ast.AsyncFor) -> tuple[str, ast.expr] | None:
    """The variable that counts the rounds from 0, and how many there are."""
    source, target = loop.iter, loop.target
    if not isinstance(source, ast.Call) or len(source.args) != 1 or source.keywords:
        return None
    if not isinstance(source.func, ast.Name) or isinstance(source.args[0], ast.Starred):
        return None
    (of,) = source.args
    if source.func.id == "range" and isinstance(target, ast.Name):
        return target.id, of
    if source.func.id != "enumerate" or not isinstance(target, ast.Tuple):
        return None
    first = target.elts[0]
    length = ast.Call(ast.Name("len", ast.Load()), [of], [])
    return (first.id, length) if isinstance(first, ast.Name) else None


def _names_in(count: ast.expr) -> Iterator[str]:
    """The variables and attributes that a number is told by."""
    for node in walk(count):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _among(last: ast.stmt, number: str, count: str) -> Iterator[Branch]:
    """Yield those branches that the last statement of a block chooses between."""
    if not isinstance(last, ast.If):
        return
    holds = _holds_last(last.test, number, count)
    if holds is not None:
        yield last, holds
    for branch in last.body, last.orelse:
        if branch:
            yield from _among(branch[-1], number, count)


def _holds_last(test: ast.expr, number: str, count: str) -> bool | None:
    """Whether a condition holds in the last round alone, or in all others (False)."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right, kind = test.left, test.comparators[0], type(test.ops[0])
    for one, other, compared in (left, right, kind), (right, left, _TURNED.get(kind)):
        texts = ast.unparse(one), ast.unparse(other)
        if texts in {(number, f"{count} - 1"), (f"{number} + 1", count)} and compared is not None:
            return True if compared in _IF_TRUE else False if compared in _IF_FALSE else None
    return None
