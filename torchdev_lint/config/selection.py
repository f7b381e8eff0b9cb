"""Which rules are meant: by codes, the beginnings of codes, names, or all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from torchdev_lint.config.options import Option
from torchdev_lint.config.problem import closest
from torchdev_lint.records import dataclass

ALL = "ALL"
_OPT_IN = "TDL9"
"""What the codes of all opt-in rules start with."""
_NO = -1


class Coded(Protocol):
    """What selection needs to know of a rule."""

    @property
    def code(self) -> str:
        """`TDL` and three digits."""

    @property
    def name(self) -> str:
        """The name in kebab case."""

    @property
    def opt_in(self) -> bool:
        """Whether it is off until it is selected by code."""

    @property
    def preview(self) -> bool:
        """Whether it is off because it is still being tried out."""

    @property
    def options(self) -> Sequence[Option]:
        """What it can be told."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is said about rules in one place.

    Args:
        select: the rules to turn on, and no others; None: that is not said.
        extend: rules to turn on.
        ignore: rules to turn off.
    """

    select: Sequence[str] | None = None
    extend: Sequence[str] = ()
    ignore: Sequence[str] = ()


def chosen(
    rules: Sequence[Coded], choices: Sequence[Choice], preview: bool = False
) -> tuple[str, ...]:
    """Return the codes of the rules to run.

    What is said later counts for more. In one place the longer beginning wins; of two equal ones,
    the one that ignores. An opt-in rule needs `ALL`, its name, or a beginning of its own (`TDL9` or
    longer) to be turned on.

    Args:
        rules: all rules.
        choices: what is said in each place.
        preview: whether rules that are being tried out are no opt-in rules.
    """

    def is_on(rule: Coded) -> bool:
        opt_in = rule.opt_in and not (preview and rule.preview)
        on = not opt_in
        for choice in choices:
            wanted = [*(choice.select or ()), *choice.extend]
            selected = longest(rule, [s for s in wanted if not opt_in or _is_own(rule, s)])
            ignored = longest(rule, choice.ignore)
            if choice.select is not None or selected != ignored or ignored != _NO:
                on = selected > ignored
        return on

    return tuple(rule.code for rule in rules if is_on(rule))


def meant(rules: Sequence[Coded], selectors: Sequence[str]) -> frozenset[str]:
    """Return the codes of the rules that are meant by one of some selectors."""
    return frozenset(rule.code for rule in rules if longest(rule, selectors) != _NO)


def unknown(rules: Sequence[Coded], selectors: Sequence[str]) -> Iterator[str]:
    """Say of each selector that means no rule that it doesn't, and what was perhaps meant."""
    for selector in dict.fromkeys(selectors):
        if not any(_matched(rule, selector) != _NO for rule in rules):
            yield f"no rule is called {selector!r}{closest_rule(rules, selector)}"


def closest_rule(rules: Sequence[Coded], selector: str) -> str:
    """Say which rule was perhaps meant, as the end of a sentence."""
    upper = selector.upper()
    names = list(_names(rules))
    return closest(upper, names) or closest(selector.lower(), names)


def is_called(rule: Coded, name: str) -> bool:
    """Whether a rule has a code or a name, whatever its case."""
    return name.upper() == rule.code or name.lower() == rule.name


def longest(rule: Coded, selectors: Sequence[str]) -> int:
    """Return how much of a rule's code the longest selector says that means it; -1 without one."""
    return max((_matched(rule, selector) for selector in selectors), default=_NO)


def _matched(rule: Coded, selector: str) -> int:
    upper = selector.upper()
    if upper == ALL:
        return 0
    if selector.lower() == rule.name:
        return len(rule.code)
    return len(upper) if upper and rule.code.startswith(upper) else _NO


def _is_own(rule: Coded, selector: str) -> bool:
    """Whether a selector is enough to turn an opt-in rule on."""
    matched = _matched(rule, selector)
    return matched == 0 or matched >= len(_OPT_IN)


def _names(rules: Sequence[Coded]) -> Iterator[str]:
    for rule in rules:
        yield rule.code
        yield rule.name
