"""A version of a file: its text, what is found in it, and what fails in it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from torchdev_lint.applying.edit import Text
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding, Skip
from torchdev_lint.linter import facts_of, findings_in, skipped_in
from torchdev_lint.placement.facts.events import Extent, Skipped
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.suppressions import unsuppressed

Key: TypeAlias = "tuple[str, int]"
"""A finding's code, and the character at which it begins."""


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
        cut_off: whether the rest of some code was left out: with fixes it may come to light.
    """

    source: Source
    text: Text
    tree: ast.Module
    findings: tuple[Finding, ...]
    failing: frozenset[int]
    skipped: tuple[Skip, ...]
    cut_off: bool = False

    def key(self, finding: Finding) -> Key:
        """Tell a finding from the others."""
        return finding.code, self.text.offset(finding.span.line, finding.span.column)


def analysed(source: Source, settings: Settings) -> Version:
    """Find what is wrong with a file.

    Args:
        source: the file.
        settings: what holds for the file.

    Raises:
        SourceError: it can't be parsed.
    """
    tree = source.parse()
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
    left_out = () if facts is None else facts.of(Skipped)
    cut_off = any(skipped.extent is not Extent.ROUNDS for skipped in left_out)
    return Version(source, text, tree, tuple(findings), failing, skipped_in(facts), cut_off)
