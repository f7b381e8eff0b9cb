"""What holds in a folder, made of what was set in several places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchdev_lint.config.kinds import WrongKind, kind_of
from torchdev_lint.config.levels import Levels, everywhere, is_set, last, with_extensions
from torchdev_lint.config.patterns import Patterns
from torchdev_lint.config.problem import SettingsProblem, closest, raise_all
from torchdev_lint.config.reading import Level
from torchdev_lint.config.selection import (
    ALL,
    Choice,
    Coded,
    chosen,
    is_called,
    longest,
    meant,
    unknown,
)
from torchdev_lint.config.settings import Settings, Severity
from torchdev_lint.config.told import is_pattern, told_in
from torchdev_lint.records import replace
from torchdev_lint.source.discovery import EXCLUDED_FOLDERS

DEFAULT_EXCLUDE = tuple(f"{name}/" for name in sorted(EXCLUDED_FOLDERS))


class Excluded:
    """What is excluded in a folder.

    Args:
        levels: what was set for it.
    """

    def __init__(self, levels: Levels) -> None:
        self._patterns = [
            Patterns(level.folder, patterns)
            for level, patterns in with_extensions(levels, "exclude")
        ]
        if last(levels, "exclude") is None:
            self._patterns.insert(0, Patterns("", DEFAULT_EXCLUDE))

    def covers(self, path: str, is_folder: bool) -> bool:
        """Whether a path, absolute, is excluded; the folders above it are not looked at."""
        for patterns in reversed(self._patterns):
            verdict = patterns.verdict(path, is_folder)
            if verdict is not None:
                return verdict
        return False


class FolderSettings:
    """What holds for the files in a folder.

    Args:
        levels: what was set for it.
        rules: all rules.

    Raises:
        SettingsProblem: something that was set names a rule that there isn't.
    """

    def __init__(self, levels: Levels, rules: Sequence[Coded]) -> None:
        raise_all(_problems(levels, rules))
        self._rules = rules
        fixable = chosen(rules, [Choice((ALL,)), *_choices(levels, _FIXABLE)])
        safe = [s for _, given in everywhere(levels, "extend_safe_fixes") for s in given]
        self._whole = Settings(
            rules=chosen(rules, _choices(levels, _SELECTED), is_set(levels, "preview")),
            unfixable=tuple(rule.code for rule in rules if rule.code not in fixable),
            safe=tuple(sorted(meant(rules, safe))),
            severities=_severities(levels, rules),
            told=told_in(levels),
        )
        host_only = last(levels, "host_only")
        self._on_host = [
            Patterns(level.folder, list(filter(is_pattern, names)))
            for level, names in ([host_only] if host_only is not None else [])
        ]
        self._ignored = [
            _Ignored(level, pattern, selectors)
            for level, table in with_extensions(levels, "per_file_ignores")
            for pattern, selectors in table
        ]
        self._nothing = replace(self._whole, rules=())
        self._made: dict[frozenset[str], Settings] = {frozenset(): self._whole}

    def of(self, path: str) -> Settings:
        """Return what holds for one of the files, whose path is absolute."""
        if any(patterns.covers(path) for patterns in self._on_host):
            return self._nothing
        selectors = [s for each in self._ignored if each.covers(path) for s in each.selectors]
        ignored = meant(self._rules, selectors)
        if ignored not in self._made:
            codes = tuple(code for code in self._whole.rules if code not in ignored)
            self._made[ignored] = replace(self._whole, rules=codes)
        return self._made[ignored]


class _Ignored:
    """Rules that are left out in some files.

    Args:
        level: where that was set.
        pattern: the files; with `!` in front of it, all others.
        selectors: the rules.
    """

    def __init__(self, level: Level, pattern: str, selectors: Sequence[str]) -> None:
        self._inverted = pattern.startswith("!")
        self._patterns = Patterns(level.folder, [pattern.removeprefix("!")])
        self.selectors = selectors

    def covers(self, path: str) -> bool:
        """Whether a file is one of them."""
        return self._patterns.covers(path) != self._inverted


_SELECTED = ("select", "extend_select", "ignore", "extend_ignore")
_FIXABLE = ("fixable", None, "unfixable", None)
"""What says which rules run, and which findings are fixed: as a choice, and what extends it."""


def _choices(levels: Levels, names: Sequence[str | None]) -> list[Choice]:
    """Return what each place says about rules, by what is set under four names."""
    said_in = []
    for level in levels:
        said = [getattr(level.options, name) if name else None for name in names]
        select, extend, ignore, ignore_too = said
        said_in.append(Choice(select, extend or (), (*(ignore or ()), *(ignore_too or ()))))
    return said_in


def _severities(levels: Levels, rules: Sequence[Coded]) -> tuple[tuple[str, Severity], ...]:
    """Return how bad findings are said to be: in each place the longest beginning says it."""
    found: dict[str, Severity] = {}
    for _, table in everywhere(levels, "severity"):
        selectors = [selector for selector, _ in table]
        for rule in rules:
            lengths = [longest(rule, [selector]) for selector in selectors]
            most = max(lengths, default=-1)
            if most >= 0:
                found[rule.code] = table[lengths.index(most)][1]
    return tuple(sorted(found.items()))


def _problems(levels: Levels, rules: Sequence[Coded]) -> Iterator[SettingsProblem]:
    """Say what names a rule that there isn't, or tells one what it can't be told."""
    for name in (*_SELECTED, *filter(None, _FIXABLE), "extend_safe_fixes"):
        for level, given in everywhere(levels, name):
            yield from _unknown(level, name, given, rules)
    for name in ("per_file_ignores", "extend_per_file_ignores"):
        for level, table in everywhere(levels, name):
            yield from _unknown(level, name, [s for _, given in table for s in given], rules)
    for name in ("severity", "rule_options"):
        for level, table in everywhere(levels, name):
            yield from _unknown(level, name, [selector for selector, _ in table], rules)
    for level, table in everywhere(levels, "rule_options"):
        for selector, given in table:
            yield from _told_wrongly(level, selector, given, rules)


def _told_wrongly(
    level: Level, selector: str, given: Sequence[tuple[str, object]], rules: Sequence[Coded]
) -> Iterator[SettingsProblem]:
    """Say what a rule is told that it can't be told."""
    rule = next((each for each in rules if is_called(each, selector)), None)
    if rule is None:
        if meant(rules, [selector]):
            yield level.wrong("rule-options", f"{selector!r} means several rules")
        return
    options = {option.key: option.kind for option in rule.options}
    for name, value in given:
        kind = options.get(name)
        if kind is None:
            hint = closest(name, list(options))
            yield level.wrong("rule-options", f"{rule.code} has no option {name!r}{hint}")
            continue
        try:
            kind.read(value)
        except WrongKind:
            words = f"{name!r} of {rule.code} must be {kind.words}, not {kind_of(value)}"
            yield level.wrong("rule-options", words)


def _unknown(
    level: Level, name: str, selectors: Sequence[str], rules: Sequence[Coded]
) -> Iterator[SettingsProblem]:
    """Say which rules something names that there aren't."""
    for message in unknown(rules, selectors):
        yield level.wrong(name.replace("_", "-"), message)
