"""Explaining rules: their pages, on a terminal a screenful at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchdev_lint.config.selection import closest_rule
from torchdev_lint.rule_docs import page
from torchdev_lint.rules import ALL_RULES

if TYPE_CHECKING:
    from torchdev_lint.rules.base import Rule


class NoRule(Exception):
    """No rule has such a code or name."""


def explain(names: Sequence[str]) -> None:
    """Show the pages of rules.

    Args:
        names: codes and names, several of them in one text where commas separate them.

    Raises:
        NoRule: no rule is called so.
    """
    wanted = [name.strip() for text in names for name in text.split(",") if name.strip()]
    text = "\n".join(page(rule) for rule in dict.fromkeys(map(_meant, wanted)))
    if not sys.stdout.isatty():
        print(text, end="")
        return
    # Imported late: it brings much along.
    from pydoc import pager

    os.environ.setdefault("LESS", "FRX")  # what fits on the screen stays there, as with git
    pager(text)


def _meant(name: str) -> Rule:
    for rule in ALL_RULES:
        if name.upper() == rule.code or name.lower() == rule.name:
            return rule
    raise NoRule(f"no rule is called {name!r}{closest_rule(ALL_RULES, name)}")
