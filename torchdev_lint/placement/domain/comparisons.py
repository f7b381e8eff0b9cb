"""What one comparison with a constant tells of another one of the same thing.

Of what is `>= 2` one knows that it is `> 1`, and of what is `"train"` that it isn't `"test"`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Final, TypeGuard

from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Something is compared with a constant, or with several.

    Args:
        operator: `Eq`, `Is`, `In`, `Lt` or `Gt`.
        constants: the constant, those of a tuple for `In`.
    """

    operator: type[ast.cmpop]
    constants: tuple[object, ...]


def told_by(known: Sequence[tuple[Comparison, bool]], asked: Comparison) -> bool | None:
    """How a comparison turns out by how others of the same thing did, None if that is open.

    Args:
        known: the others, each with how it turned out.
        asked: the one that is asked for.
    """
    for comparison, holds in known:
        verdict = implied(comparison, holds, asked)
        if verdict is not None:
            return verdict
    several = next((c.constants for c, holds in known if holds and c.operator in _ONE_OF), ())
    left = [
        value
        for value in several
        if all(_turns_out(comparison, value) in (holds, None) for comparison, holds in known)
    ]
    verdicts = {_turns_out(asked, value) for value in left}
    return verdicts.pop() if len(verdicts) == 1 else None


def implied(known: Comparison, holds: bool, asked: Comparison) -> bool | None:
    """How a comparison turns out by how another one of the same thing did, None if that is open.

    Args:
        known: the other one.
        holds: how it turned out.
        asked: the one that is asked for.
    """
    if known.operator in _ONE_OF and holds:
        verdicts = {_turns_out(asked, value) for value in known.constants}
        return verdicts.pop() if len(verdicts) == 1 else None
    if known.operator in _ONE_OF:
        return False if asked.operator in _ONE_OF and _all_in(asked, known) else None
    limit, value = known.constants[0], asked.constants[0]
    if asked.operator in _ONE_OF:
        fits = [_turns_out(known, each) for each in asked.constants]
        return False if all(fit is not None and fit is not holds for fit in fits) else None
    if not _is_number(limit) or not _is_number(value):
        return None
    return _between(known.operator, holds, limit, asked.operator, value)


def _between(
    known: type[ast.cmpop], holds: bool, limit: float, asked: type[ast.cmpop], value: float
) -> bool | None:
    """The same for numbers that are above or below a limit."""
    is_above = (known is ast.Gt) is holds
    strict = holds
    if is_above:  # from the limit on, without it if that is strict
        if asked is ast.Gt:
            return True if limit > value or (strict and limit == value) else None
        return False if limit >= value else None
    if asked is ast.Lt:
        return True if limit < value or (strict and limit == value) else None
    return False if limit <= value else None


def _all_in(asked: Comparison, known: Comparison) -> bool:
    return all(value in known.constants for value in asked.constants)


def _turns_out(asked: Comparison, value: object) -> bool | None:
    """How a comparison turns out for a value, None where it can't be compared."""
    if asked.operator in _ONE_OF:
        return value in asked.constants
    if not _is_number(value) or not _is_number(asked.constants[0]):
        return None
    return _ORDER[asked.operator](value, asked.constants[0])


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float))


_ONE_OF: Final = (ast.Eq, ast.Is, ast.In)
_ORDER: Final[dict[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
}
