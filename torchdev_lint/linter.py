"""From a syntax tree to findings: triage, placement analysis, rules."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.finding import Finding
from torchdev_lint.placement.analysis import analyse
from torchdev_lint.placement.facts.events import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.source import Source
from torchdev_lint.source.span import Span
from torchdev_lint.triage.survey import triage


def lint(source: Source, tree: ast.Module, rules: Sequence[Rule]) -> list[Finding]:
    """Find the defects in one file. Suppression comments are not looked at.

    Args:
        source: the text.
        tree: its syntax tree.
        rules: the rules to ask.

    Returns:
        The findings, by position.
    """
    facts = facts_of(source, tree)
    return [] if facts is None else findings_in(facts, rules)


def facts_of(source: Source, tree: ast.Module) -> Facts | None:
    """Analyse one file; None if nothing in it can lead to a finding.

    Args:
        source: the text.
        tree: its syntax tree.
    """
    wanted = triage(tree)
    if wanted is None:
        return None
    facts = analyse(tree, source.span, wanted)
    facts.tree, facts.text = tree, source.segment
    return facts


def findings_in(facts: Facts, rules: Sequence[Rule]) -> list[Finding]:
    """Ask the rules what they find, and put it in order."""
    found: dict[tuple[Span, str], Finding] = {}
    for rule in rules:
        for finding in rule.check(facts):
            found.setdefault((finding.span, finding.code), finding)
    return [found[key] for key in sorted(found)]
