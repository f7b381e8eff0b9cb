"""What conditions on the way to a point of the program have told, and what they have chosen."""

from __future__ import annotations

from typing import TypeAlias

from torchdev_lint.placement.domain.values import Value
from torchdev_lint.records import dataclass

Literal: TypeAlias = "tuple[str, bool]"
"""A condition without `not`, `and` and `or`, as text, and how it turned out."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a condition turned out on the way here.

    Args:
        depends_on: the variables and attributes that the condition asks.
    """

    holds: bool
    depends_on: frozenset[str]


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
        whole: the condition as a whole, and how it turns out when its parts hold.
        texts: the conditions that tell which it was: the whole, and its parts.
    """

    depends_on: frozenset[str]
    names: dict[str, Chosen]
    whole: Literal
    texts: frozenset[str]
