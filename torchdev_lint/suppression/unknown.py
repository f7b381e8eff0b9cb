"""Rules that comments name, and that there are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchdev_lint.config.selection import Coded, unknown
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.suppressions import Suppressions


def unknown_in(source: Source, rules: Sequence[Coded]) -> Iterator[Problem]:
    """Yield what our own form of comments names without there being such a rule.

    Args:
        source: the file.
        rules: all rules.
    """
    if "torchdev-lint" not in source.text:
        return
    for directive in Suppressions(source).directives:
        for named in directive.rules or () if directive.tool == "torchdev-lint" else ():
            for message in unknown(rules, [named.text]):
                comment = directive.comment
                column = comment.column + named.start + 1
                yield Problem(source.path, message, comment.line, column, severity="warning")
