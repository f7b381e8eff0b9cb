"""Which rules run: `--select` and `--ignore`, by prefixes of codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

_OPT_IN = "TDL9"
"""What the codes of all opt-in rules start with."""


class Coded(Protocol):
    """What selection needs to know of a rule."""

    @property
    def code(self) -> str:
        """`TDL` and three digits."""

    @property
    def opt_in(self) -> bool:
        """Whether it is off until it is selected by code."""


T = TypeVar("T", bound=Coded)


class UnknownCode(Exception):
    """A prefix that no rule's code starts with."""


def chosen(rules: Sequence[T], select: Sequence[str], ignore: Sequence[str]) -> list[T]:
    """Return the rules to run. The longer prefix wins; of two equal ones, the ignoring one.

    An opt-in rule needs a prefix of its own (`TDL9` or longer) to be selected.

    Args:
        rules: all rules.
        select: prefixes of codes to turn on; none: everything that is on by default.
        ignore: prefixes of codes to turn off.

    Raises:
        UnknownCode: no rule has such a code.
    """
    for prefix in (*select, *ignore):
        if not prefix or not any(rule.code.startswith(prefix) for rule in rules):
            raise UnknownCode(prefix)

    def is_on(rule: Coded) -> bool:
        on = _longest(rule.code, [p for p in select if not rule.opt_in or p.startswith(_OPT_IN)])
        if not select and not rule.opt_in:
            on = 0
        return on > _longest(rule.code, ignore)

    return [rule for rule in rules if is_on(rule)]


def _longest(code: str, prefixes: Sequence[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)
