"""The arguments of a call, and the operands of an operation."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import field

from torchdev_lint.placement.domain.values import Value
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of an operation, and the expression it comes from.

    Args:
        among: whether the value is one of several that the expression may give.
        within: whether the expression gives a distribution, and the value is a parameter of it.
    """

    value: Value
    node: ast.AST
    among: bool = False
    within: bool = False


@dataclass(slots=True)
class Arguments:
    """The arguments of one call.

    Args:
        positional: those given by position, with their expressions.
        keywords: those given by name, with their expressions.
        bundles: structures of tensors that are spread over the call (`**batch`).
        open_ended: whether there is a `*args` or `**kwargs` whose content is not known.
        any_keyword: whether there is such a `**kwargs`, which may hold `device`.
    """

    positional: list[tuple[Value, ast.AST]] = field(default_factory=list)
    keywords: dict[str, tuple[Value, ast.AST]] = field(default_factory=dict)
    bundles: list[tuple[Value, ast.AST]] = field(default_factory=list)
    open_ended: bool = False
    any_keyword: bool = False

    def get(self, position: int, keyword: str = "") -> Value | None:
        """Return an argument by keyword or position, None where it is not given."""
        if keyword in self.keywords:
            return self.keywords[keyword][0]
        if 0 <= position < len(self.positional):
            return self.positional[position][0]
        return None

    def node(self, position: int, keyword: str = "") -> ast.AST | None:
        """Return the expression of an argument, None where it is not given."""
        if keyword in self.keywords:
            return self.keywords[keyword][1]
        if 0 <= position < len(self.positional):
            return self.positional[position][1]
        return None

    def spread(self) -> Value | None:
        """Return what each of the arguments is where `*` spreads all of them, however many."""
        if len(self.positional) != 1 or len(self.bundles) != 1:
            return None
        return self.bundles[0][0] if isinstance(self.positional[0][1], ast.Starred) else None

    def has_several(self) -> bool:
        """Whether more than one thing is certainly given by position."""
        given = (node for _, node in self.positional if not isinstance(node, ast.Starred))
        return len(list(given)) > 1

    def operands(self, without: Set[str] = frozenset()) -> list[Operand]:
        """All arguments as operands of an operation.

        Args:
            without: the keywords of those that are none.
        """
        named = [given for name, given in self.keywords.items() if name not in without]
        every = [*self.positional, *named, *self.bundles]
        return [Operand(value, node) for value, node in every]

    def values(self) -> list[Value]:
        """All arguments' values."""
        every = (*self.positional, *self.keywords.values(), *self.bundles)
        return [value for value, _ in every]


@dataclass(frozen=True, slots=True)
class Crossing:
    """What a function of another file is called with.

    Args:
        parameters: those that can be given by position, but for the object of a method.
        arguments: what the call gives.
    """

    parameters: list[ast.arg]
    arguments: Arguments

    def given(self, name: str) -> Operand | None:
        """Return what a parameter is given, None where the call does not say so."""
        pairs = dict(self.arguments.keywords)
        for parameter, pair in zip(self.parameters, self.arguments.positional, strict=False):
            if isinstance(pair[1], ast.Starred):
                break
            pairs[parameter.arg] = pair
        return Operand(*pairs[name]) if name in pairs else None

    def leaves_out(self, name: str) -> bool:
        """Return whether the call certainly leaves a parameter at its default."""
        is_parameter = any(parameter.arg == name for parameter in self.parameters)
        return is_parameter and not self.arguments.open_ended and self.given(name) is None


def is_one_input(arguments: Arguments) -> bool:
    """Return whether a call is made with one thing alone."""
    return len(arguments.positional) == 1 and not (arguments.keywords or arguments.bundles)
