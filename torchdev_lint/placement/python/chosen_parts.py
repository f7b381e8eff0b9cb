"""Which of several parts an attribute holds, where what `__init__` chose it by is asked again."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import Choice, Instance, Tensor, Value
from torchdev_lint.placement.python.questions import OWN
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.decided import decided
from torchdev_lint.syntax.scopes import Syntax


def as_chosen(run: Run, value: Value) -> Value:
    """Return what an attribute holds under the conditions that led to the code at hand.

    `if self.learned:` in `forward` finds what `__init__` has built under `if learned:`, or under
    the same condition.

    Args:
        value: what it may hold.
    """
    if not isinstance(value, Choice) or run.is_elsewhere:
        return value
    run.frame.reads.asks_own = True
    if not run.env.outcomes:
        return value
    here = {_told(text): known.holds for text, known in run.env.outcomes.items() if OWN in text}
    if not here:
        return value
    sites = _sites(run, value)
    fitting = [
        option
        for option, site in zip(value.options, sites, strict=True)
        if site is None or _agree(_told_by(run.facts.syntax, site), here)
    ]
    return choice(fitting) if fitting else value


def _sites(run: Run, value: Choice) -> list[ast.AST | None]:
    """Where each of several values was made, by the constructor that chose it; None if unknown."""
    refs = {option.ref for option in value.options if isinstance(option, Instance)}
    built: dict[int, ast.AST | None] = {}
    if refs:
        run.budget.visited(len(run.built.sites))
        built = {ref: key[0] for key, ref in run.built.sites.items() if ref in refs}
    return [
        built.get(option.ref) if isinstance(option, Instance) else _made_in_constructor(run, option)
        for option in value.options
    ]


def _made_in_constructor(run: Run, value: Value) -> ast.AST | None:
    """Where a constructor of the file at hand has made a tensor on the host."""
    origin = value.origin.made if isinstance(value, Tensor) and value.origin else None
    if origin is None or origin.file is not run.main:
        return None
    return origin.node if origin.scope.rpartition(".")[2] == "__init__" else None


def _agree(there: dict[str, bool], here: dict[str, bool]) -> bool:
    return all(here.get(test, outcome) is outcome for test, outcome in there.items())


def _told_by(syntax: Syntax, site: ast.AST) -> dict[str, bool]:
    """What led to a place, as conditions on what `__init__` is told."""
    return {_told(test): outcome for test, outcome in decided(syntax, site).items()}


def _told(text: str) -> str:
    """A condition about the object as `__init__` may ask it of what it is told."""
    return text.replace(OWN, "")
