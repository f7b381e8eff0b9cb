"""The flake8 plugin: the same rules on the tree and the lines that flake8 hands over."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from typing import ClassVar

from torchdev_lint import __version__

_Report = tuple[int, int, str, type]


class Checker:
    """Runs all rules that are on by default.

    Args:
        tree: the file's syntax tree.
        lines: its lines, as flake8 has decoded them.
        filename: its path.
    """

    name = "torchdev-lint"
    version = __version__
    opt_in: ClassVar[bool] = False

    def __init__(self, tree: ast.Module, lines: Sequence[str], filename: str = "stdin") -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    def run(self) -> Iterator[_Report]:
        """Yield line, column (from 0), text and class of each finding. Never raises.

        An exception would end flake8's whole run, so one becomes a line on stderr.
        """
        try:
            yield from self._reports()
        except Exception as error:
            print(
                f"torchdev-lint: {self._filename} skipped: "
                f"internal error: {type(error).__name__}: {error}",
                file=sys.stderr,
            )

    def _reports(self) -> list[_Report]:
        # Imported late: flake8 loads its plugins even where no file mentions PyTorch.
        from torchdev_lint.source.source import Source

        source = Source.from_text("".join(self._lines), self._filename)
        if not source.mentions_torch():
            return []
        from torchdev_lint.linter import lint
        from torchdev_lint.rules import ALL_RULES

        rules = [rule for rule in ALL_RULES if rule.opt_in == self.opt_in]
        if not rules:
            return []
        return [
            (
                finding.span.line,
                finding.span.column,
                f"{finding.code} {finding.message}",
                type(self),
            )
            for finding in lint(source, self._tree, rules)
        ]


class OptInChecker(Checker):
    """Runs the opt-in rules; `--enable-extensions=TDL9` turns it on."""

    name = "torchdev-lint-opt-in"
    off_by_default = True
    opt_in = True
