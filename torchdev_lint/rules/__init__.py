"""The rules, one file each; a new file in this folder is a new rule."""

from __future__ import annotations

import importlib
import pkgutil

from torchdev_lint.config.settings import Settings
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.others import rules_of_others


def _discover() -> tuple[Rule, ...]:
    found: list[Rule] = []
    for info in pkgutil.iter_modules(__path__):
        if info.name not in {"base", "callers", "describe", "others"}:
            module = importlib.import_module(f"{__name__}.{info.name}")
            found.extend(
                member()
                for member in vars(module).values()
                if isinstance(member, type) and issubclass(member, Rule) and member is not Rule
            )
    return tuple(sorted(found, key=lambda rule: rule.code))


OWN_RULES: tuple[Rule, ...] = _discover()
ALL_RULES: tuple[Rule, ...] = (*OWN_RULES, *rules_of_others(OWN_RULES))
"""The rules there are, with those of others that are installed."""

BY_DEFAULT = Settings(rules=tuple(rule.code for rule in ALL_RULES if not rule.opt_in))
"""What holds for a file of which nobody has set anything."""

EVERY_RULE = Settings(
    rules=tuple(
        rule.code
        for rule in OWN_RULES
        if (rule.triggers or rule.wants_unsupposed) and not rule.advice
    )
)
"""All our rules about what fails, or is lost, are on, also those that are off by default."""
