"""The same condition asked again: it takes the branch that it took before.

What `if flag: x = a` `else: x = b` leaves in `x` is one of two; inside a later `if flag:` it
is the first of them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.run import Run
    from torchdev_lint.placement.domain.values import Value

_STABLE = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)
"""What a condition is made of that gives the same when it is asked again."""

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.IsNot: ast.Is,
    ast.NotEq: ast.Eq,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a condition put into a variable.

    Args:
        joined: what the variable holds for all that is known behind the branches.
    """

    joined: Value
    when_true: Value
    when_false: Value


@dataclass(frozen=True, slots=True)
class Choices:
    """What one condition put into variables, by their names.

    Args:
        depends_on: the variables and attributes that the condition asks.
    """

    depends_on: frozenset[str]
    names: dict[str, Chosen]


def note_choices(
    run: Run, test: ast.expr, chosen: dict[str, Chosen], branches: ast.AST | None = None
) -> None:
    """Remember what a condition has put into variables.

    Args:
        branches: the statement, whose branches may change what the condition asks.
    """
    if not chosen or not all(isinstance(part, _STABLE) for part in walk(test)):
        return
    text, when_true = _normal(run, test)
    if not when_true:
        chosen = {n: Chosen(c.joined, c.when_false, c.when_true) for n, c in chosen.items()}
    depends_on = frozenset(
        part.id if isinstance(part, ast.Name) else part.attr
        for part in walk(test)
        if isinstance(part, (ast.Name, ast.Attribute))
    )
    if branches is not None and not depends_on.isdisjoint(_stored(branches)):
        return
    run.env.choices = {**run.env.choices, text: Choices(depends_on, chosen)}


def _stored(branches: ast.AST) -> set[str]:
    """The variables and attributes that code assigns."""
    return {
        part.id if isinstance(part, ast.Name) else part.attr
        for part in walk(branches)
        if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Store)
    }


def recall_choices(run: Run, test: ast.expr, taken: bool) -> None:
    """Give variables what a condition put into them, where it is known how it turned out.

    Args:
        taken: whether the condition is true.
    """
    env = run.env
    if not env.choices:
        return
    for part, holds in _parts(test, taken):
        text, when_true = _normal(run, part)
        known = env.choices.get(text)
        for name, chosen in known.names.items() if known else ():
            if env.names.get(name) == chosen.joined:
                env.names[name] = chosen.when_true if holds is when_true else chosen.when_false


def _normal(run: Run, test: ast.expr) -> tuple[str, bool]:
    """A condition in its positive form, and whether that is how it stands there."""
    if test not in run.conditions:
        run.conditions[test] = _positive(test)
    return run.conditions[test]


def _positive(test: ast.expr) -> tuple[str, bool]:
    when_true = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, when_true = test.operand, not when_true
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        opposite = _OPPOSITES.get(type(test.ops[0]))
        if opposite is not None:
            test = ast.Compare(test.left, [opposite()], test.comparators)
            when_true = not when_true
    return dotted(test) or ast.unparse(test), when_true


def _parts(test: ast.expr, taken: bool) -> list[tuple[ast.expr, bool]]:
    """What is known of the parts of a condition that turned out one way."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is taken:
        return [pair for part in test.values for pair in _parts(part, taken)]
    return [(test, taken)]
