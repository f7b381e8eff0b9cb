"""What conditions on the way to a point of the program have told, and what they have chosen."""

from __future__ import annotations

import ast
from typing import TypeAlias

from torchdev_lint.placement.domain.comparisons import Comparison
from torchdev_lint.placement.domain.values import Value
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A condition in its positive form: there is one for all that are written alike.

    Args:
        text: the condition as text.
        subject: what is compared with a constant, as text; the condition itself where nothing is.
        comparison: how that is compared.
        test: one of the places where it is asked.
        names: the variables that it asks.
        depends_on: the variables and attributes that it asks.
    """

    text: str
    subject: str
    comparison: Comparison | None
    test: ast.expr
    names: frozenset[str]
    depends_on: frozenset[str]


Literal: TypeAlias = tuple[Question, bool]
"""A condition without `not`, `and` and `or`, and how it turned out."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a condition turned out on the way here."""

    holds: bool
    question: Question


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
        subjects: what tells which it was, by being asked: the whole, and its parts.
    """

    depends_on: frozenset[str]
    names: dict[str, Chosen]
    whole: Literal
    subjects: frozenset[str]
