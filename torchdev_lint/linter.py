"""From a syntax tree to findings: triage, placement analysis, rules."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.finding import Finding, Span
from torchdev_lint.placement.analysis import analyse
from torchdev_lint.rules.base import Rule
from torchdev_lint.source import Source
from torchdev_lint.triage import triage


def lint(source: Source, tree: ast.Module, rules: Sequence[Rule]) -> list[Finding]:
    """Find the defects in one file. Suppression comments are not looked at.

    Args:
        source: the text.
        tree: its syntax tree.
        rules: the rules to ask.

    Returns:
        The findings, by position.
    """
    wanted = triage(tree)
    if wanted is None:
        return []
    facts = analyse(tree, source.span, wanted)
    facts.tree, facts.text = tree, source.segment
    found: dict[tuple[Span, str], Finding] = {}
    for rule in rules:
        for finding in rule.check(facts):
            found.setdefault((finding.span, finding.code), finding)
    return [found[key] for key in sorted(found)]
