"""What holds for one file: an object that is handed down from the command to the fixes."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for one file, wherever and however it was set.

    Args:
        rules: the codes of the rules to ask.
    """

    rules: tuple[str, ...] = ()

    def besides_rules(self) -> str:
        """Return all but the rules as a text, empty where none of it was set."""
        rest = replace(self, rules=())
        return "" if rest == Settings() else repr(rest)
