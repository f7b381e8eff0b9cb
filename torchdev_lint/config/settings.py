"""What holds in the end: for one file, and for a run."""

from __future__ import annotations

from typing import Literal

from torchdev_lint.catalog.told import NOTHING, Told
from torchdev_lint.records import dataclass, replace

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for one file, wherever and however it was set.

    It is handed down from the command to the fixes. What is found in a file depends on nothing else
    that a user sets, so that it is part of what the cache keeps results by.

    Args:
        rules: the codes of the rules to ask.
        unfixable: the codes of the rules whose findings are not to be fixed.
        safe: the codes of those whose unsafe fixes are to be treated as safe ones.
        severities: codes of rules, and how bad their findings are said to be.
        told: what is told of names.
    """

    rules: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()
    told: Told = NOTHING

    def besides_rules(self) -> str:
        """Return all but the rules as a text, empty where none of it was set."""
        rest = replace(self, rules=())
        return "" if rest == Settings() else repr(rest)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What holds for a run as a whole: what was set for the folder that it is started in.

    Args:
        unsafe_fixes: whether unsafe fixes are applied, or counted, as well.
        force_exclude: whether what is excluded is left out even where the user names it.
        respect_gitignore: whether what git ignores is left out.
        output_format: how findings are written.
        jobs: how many processes lint; None: as many as the work is worth.
        cache_dir: where results are kept; None: each file's in the root of its project.
        baseline: the file that says what was found before, and is left aside.
    """

    unsafe_fixes: bool = False
    force_exclude: bool = False
    respect_gitignore: bool = True
    output_format: str = "text"
    jobs: int | None = None
    cache_dir: str | None = None
    baseline: str | None = None
