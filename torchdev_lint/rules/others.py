"""Rules of others: imported, held to what a rule has to have, and kept from ending a run."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from types import ModuleType

from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.finding import Finding
from torchdev_lint.others import GROUP, OWN, Provider, providers
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.problem import described
from torchdev_lint.source.source import SourceError

_CODE = re.compile(r"[A-Z]+[0-9]+")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TEXTS = ("code", "name", "summary", "reason", "bad", "good", "fix_safety")
"""What says what a rule is."""


class RuleFailed(SourceError):
    """A rule of others has raised an exception, or given what is no finding of its own."""

    kind = "internal-error"


def rules_of_others(own: Sequence[Rule]) -> Iterator[Rule]:
    """Yield the rules of others that are installed.

    Args:
        own: our rules.

    Raises:
        SettingsProblem: one can't be used, and so nobody knows what was meant to be found.
    """
    taken = {rule.code: "torchdev-lint" for rule in own}
    taken |= {rule.name: "torchdev-lint" for rule in own}
    for provider in providers():
        for kind in _classes_of(provider):
            try:
                rule = _made(kind)
            except Exception as error:
                raise _unusable(provider, described(error)) from None
            for called in (rule.code, rule.name):
                if called in taken:
                    raise _unusable(
                        provider, f"`{called}` is the name of a rule of {taken[called]}"
                    )
                taken[called] = provider.distribution
            yield rule


def findings_of(rule: Rule, facts: Facts) -> Iterator[Finding]:
    """Yield what a rule finds.

    Raises:
        RuleFailed: it is one of others, and can't tell.
    """
    if rule.code.startswith(OWN):
        yield from rule.check(facts)
        return
    try:
        for finding in rule.check(facts):
            if not isinstance(finding, Finding) or finding.code != rule.code:
                raise TypeError(f"{finding!r} is no finding of {rule.code}")
            yield finding
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        raise RuleFailed(f"the rule {rule.code} failed: {described(error)}") from None


def _classes_of(provider: Provider) -> list[type[Rule]]:
    """The rules that an entry point names: one, or all that a module defines."""
    module, _, path = provider.value.partition(":")
    try:
        found = importlib.import_module(module)
        named = reduce(getattr, filter(None, path.split(".")), found)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may also exit
        raise _unusable(provider, described(error)) from None
    members = vars(named).values() if isinstance(named, ModuleType) else [named]
    classes = [each for each in members if isinstance(each, type) and issubclass(each, Rule)]
    if isinstance(named, ModuleType):
        classes = [each for each in classes if each.__module__ == named.__name__]
    if not classes:
        raise _unusable(provider, f"`{provider.value}` is neither a rule nor a module of rules")
    return classes


def _made(kind: type[Rule]) -> Rule:
    """Make a rule of a class.

    Raises:
        TypeError: it doesn't have what a rule has.
    """
    for attribute in _TEXTS:
        if not isinstance(getattr(kind, attribute, None), str):
            raise TypeError(f"`{kind.__name__}.{attribute}` is no text")
    if not isinstance(getattr(kind, "triggers", None), frozenset):
        raise TypeError(f"`{kind.__name__}.triggers` is no frozenset")
    if not _CODE.fullmatch(kind.code) or kind.code.startswith(OWN):
        raise TypeError(f"`{kind.code}` can't be its code: letters and digits, but not {OWN}")
    if not _NAME.fullmatch(kind.name):
        raise TypeError(f"`{kind.name}` can't be its name: words joined by hyphens")
    return kind()


def _unusable(provider: Provider, reason: str) -> SettingsProblem:
    where = f"the rules of {provider.distribution} ({GROUP})"
    return SettingsProblem(f"{where} can't be used: {reason}")
