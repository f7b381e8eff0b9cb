"""The arguments of a call, evaluated."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    MISSING,
    UNKNOWN,
    Bundle,
    Mapping,
    Place,
    Sequence,
    Size,
    Value,
)
from torchdev_lint.placement.facts.meetings import Operand
from torchdev_lint.syntax.names import path_of


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

    def operands(self) -> list[Operand]:
        """All arguments as operands of an operation."""
        every = [*self.positional, *self.keywords.values(), *self.bundles]
        return [Operand(value, node) for value, node in every]

    def values(self) -> list[Value]:
        """All arguments' values."""
        every = (*self.positional, *self.keywords.values(), *self.bundles)
        return [value for value, _ in every]


def _as_it_is_now(run: Run, node: ast.expr, value: Value) -> Value:
    """A structure of which parts were replaced is not where it came from as a whole."""
    path = path_of(node) if isinstance(value, Bundle) and run.env.paths else None
    if path is None or not isinstance(value, Bundle):
        return value
    parts = [v for p, v in run.env.paths.items() if p.startswith((f"{path}[", f"{path}."))]
    if all(isinstance(part, Bundle) and part.place is value.place for part in parts):
        return value
    return replace(value, place=Place.UNKNOWN, origin=None)


def evaluate_arguments(run: Run, node: ast.Call) -> Arguments:
    """Evaluate the arguments of a call, spreading what `*` and `**` are known to hold."""
    arguments = Arguments()
    for item in node.args:
        if isinstance(item, ast.Starred):
            _spread(run, arguments, item)
        else:
            value = _as_it_is_now(run, item, run.evaluate(item))
            arguments.positional.append((value, item))
    for keyword in node.keywords:
        value = _as_it_is_now(run, keyword.value, run.evaluate(keyword.value))
        if keyword.arg is not None:
            arguments.keywords[keyword.arg] = (value, keyword.value)
        elif isinstance(value, Mapping):
            for name, part in value.items:
                if isinstance(name, str):
                    arguments.keywords[name] = (part, keyword.value)
            if value.rest != MISSING:
                arguments.open_ended = arguments.any_keyword = True
                arguments.bundles.append((value.rest, keyword.value))
        else:
            arguments.open_ended = arguments.any_keyword = True
            if isinstance(value, Bundle):
                arguments.bundles.append((value, keyword.value))
    return arguments


def _spread(run: Run, arguments: Arguments, item: ast.Starred) -> None:
    value = run.evaluate(item.value)
    if isinstance(value, Sequence) and value.items is not None:
        arguments.positional.extend((part, item.value) for part in value.items)
        return
    arguments.open_ended = True
    if isinstance(value, Size):
        arguments.positional.append((value, item))
        return
    if isinstance(value, (Bundle, Sequence)):
        inner = value.element if isinstance(value, Sequence) else value
        arguments.bundles.append((inner, item.value))
    arguments.positional.append((UNKNOWN, item))
