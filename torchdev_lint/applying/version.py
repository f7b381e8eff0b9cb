"""A version of a file: its text, what is found in it, and what fails in it."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeAlias

from torchdev_lint.applying.edit import Shift, Text
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding, Skip
from torchdev_lint.garbage import not_collected
from torchdev_lint.linter import (
    facts_of,
    findings_in,
    is_too_large,
    skipped_in,
    tree_of_none,
)
from torchdev_lint.placement.facts.events import Extent, Skipped
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.suppressions import unsuppressed

Key: TypeAlias = "tuple[str, int]"
"""A finding's code, and the character at which it begins."""


_CHARACTERS_OF_AN_EXPRESSION = 25
"""How much text is looked at, before anything is run, in the time in which one is evaluated."""
_OF_A_FINDING = 30
"""How many expressions are evaluated in the time in which a finding's fix is looked for."""


class Stretches:
    """Stretches of a text.

    Args:
        ends: the first character of each, and the one behind its last.
    """

    def __init__(self, ends: Iterable[tuple[int, int]]) -> None:
        self.ends: list[tuple[int, int]] = []
        for start, end in sorted(ends):
            if self.ends and start <= self.ends[-1][1]:
                start, before = self.ends.pop()
                end = max(end, before)
            self.ends.append((start, end))

    def hold(self, offset: int) -> bool:
        """Whether a character is in one of them."""
        number = bisect_right(self.ends, offset, key=itemgetter(0))
        return number > 0 and offset < self.ends[number - 1][1]

    def moved(self, shift: Shift) -> Stretches:
        """Return where they are after edits."""
        return Stretches((shift.moved(start), shift.moved(end)) for start, end in self.ends)

    def __bool__(self) -> bool:
        return bool(self.ends)


NOWHERE = Stretches(())


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a file and what is found in it.

    Args:
        source: the file.
        text: its text, with places.
        tree: its syntax tree.
        findings: what is found, less what comments silence.
        failing: where host values are made that meet the accelerator, reported or not.
        skipped: what was not looked at to its end.
        work: how many expressions the analysis has evaluated, or what counts as one.
        left_out: code of which the rest was left out: as soon as anything changes, anything may
            come to light there, so that nothing is fixed in it.
    """

    source: Source
    text: Text
    tree: ast.Module
    findings: tuple[Finding, ...]
    failing: frozenset[int]
    skipped: tuple[Skip, ...]
    work: int = 0
    left_out: Stretches = NOWHERE

    @property
    def cost(self) -> int:
        """What it took to find out, counted in expressions that are evaluated."""
        of_text = len(self.source.text) // _CHARACTERS_OF_AN_EXPRESSION
        return self.work + of_text + _OF_A_FINDING * len(self.findings) + 1

    def key(self, finding: Finding) -> Key:
        """Tell a finding from the others."""
        return finding.code, self.text.offset(finding.span.line, finding.span.column)


@not_collected()
def analysed(source: Source, settings: Settings) -> Version:
    """Find what is wrong with a file.

    Args:
        source: the file.
        settings: what holds for the file.

    Raises:
        SourceError: it can't be parsed.
    """
    tree = tree_of_none() if is_too_large(source) else source.parse()
    facts = facts_of(source, tree, settings)
    found = unsuppressed(source, findings_in(source, facts, settings))
    return version_of(source, tree, facts, found)


def version_of(
    source: Source, tree: ast.Module, facts: Facts | None, findings: Sequence[Finding]
) -> Version:
    """Put together what is known of a file that was analysed already.

    Args:
        source: the file.
        tree: its syntax tree.
        facts: what the analysis found out; None if there was nothing to analyse.
        findings: what the rules found, less what comments silence.
    """
    text = Text(source)
    spans = [] if facts is None else [facts.span(m.origin.node) for m in facts.of(Meeting)]
    failing = frozenset(text.offset(span.line, span.column) for span in spans)
    skipped = () if facts is None else facts.of(Skipped)
    cut_off = [source.span(s.node) for s in skipped if s.extent is not Extent.ROUNDS]
    left_out = Stretches(
        (text.offset(span.line, span.column), text.offset(span.end_line, span.end_column))
        for span in cut_off
    )
    work = 0 if facts is None else facts.work
    return Version(source, text, tree, tuple(findings), failing, skipped_in(facts), work, left_out)
