"""Which of several modules an attribute holds, where what `__init__` chose it by is asked again."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import Choice, Instance, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_OWN = "self."


def as_chosen(run: Run, value: Value) -> Value:
    """Return what an attribute holds under the conditions that led to the code at hand.

    `if self.learned:` in `forward` finds what `__init__` has built under `if learned:`, or under
    the same condition.

    Args:
        value: what it may hold.
    """
    if not isinstance(value, Choice) or not run.env.outcomes or run.is_elsewhere:
        return value
    refs = {option.ref for option in value.options if isinstance(option, Instance)}
    if len(refs) != len(value.options):
        return value
    here = {_told(text): known.holds for text, known in run.env.outcomes.items() if _OWN in text}
    run.budget.visited(len(run.sites))
    sites = {ref: key[0] for key, ref in run.sites.items() if ref in refs}
    decided = {ref: _decided(run.facts.syntax, site) for ref, site in sites.items() if site}
    fitting: list[Value] = [
        option
        for option in value.options
        if isinstance(option, Instance) and _agree(decided.get(option.ref, {}), here)
    ]
    return choice(fitting) if fitting else value


def _agree(there: dict[str, bool], here: dict[str, bool]) -> bool:
    return all(here.get(test, outcome) is outcome for test, outcome in there.items())


def _told(text: str) -> str:
    """A condition about the object as `__init__` may ask it of what it is told."""
    return text.replace(_OWN, "")


def _decided(syntax: Syntax, node: ast.AST) -> dict[str, bool]:
    """How the conditions around a place in its function have turned out, by their texts."""
    decided: dict[str, bool] = {}
    child = node
    for part in syntax.around(node):
        if isinstance(part, FUNCTIONS):
            break
        if isinstance(part, (ast.If, ast.IfExp)) and child is not part.test:
            body = part.body if isinstance(part.body, list) else [part.body]
            test, outcome = part.test, child in body
            while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, outcome = test.operand, not outcome
            decided[_told(text_of(test))] = outcome
        child = part
    return decided
