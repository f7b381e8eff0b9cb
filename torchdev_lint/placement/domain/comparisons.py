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
    several = next((c.constants for c, holds in known if holds and c.operator in _ONE_OF), None)
    if several is None:
        verdicts = (_implied(comparison, holds, asked) for comparison, holds in known)
        return next((verdict for verdict in verdicts if verdict is not None), None)
    left = [
        value
        for value in several
        if all(_turns_out(comparison, value) in (holds, None) for comparison, holds in known)
    ]
    answers = {_turns_out(asked, value) for value in left}
    return answers.pop() if len(answers) == 1 else None


def _implied(known: Comparison, holds: bool, asked: Comparison) -> bool | None:
    """How a comparison turns out by another one that leaves more than a few constants."""
    if known.operator in _ONE_OF:
        return False if asked.operator in _ONE_OF and _rules_out(known, asked) else None
    if asked.operator in _ONE_OF:
        fits = [_turns_out(known, each) for each in asked.constants]
        return False if all(fit is not None and fit is not holds for fit in fits) else None
    limit, value = known.constants[0], asked.constants[0]
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


def _rules_out(known: Comparison, asked: Comparison) -> bool:
    """Whether what is none of some constants is none of others; 1 is not `True`, but equals it."""
    if known.operator is ast.Is and any(map(_is_number, known.constants)):
        return False
    return all(value in known.constants for value in asked.constants)


def _turns_out(asked: Comparison, value: object) -> bool | None:
    """How a comparison turns out for what equals a value, None where that is open."""
    if asked.operator is ast.Is and _is_number(value) and value in asked.constants:
        return None
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
