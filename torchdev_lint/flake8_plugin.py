"""The flake8 plugin: the same rules on the tree and the lines that flake8 hands over."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from torchdev_lint import __version__
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.garbage import not_collected
from torchdev_lint.source.shown import shown
from torchdev_lint.stack import on_own_stack

if TYPE_CHECKING:
    import argparse

    from flake8.options.manager import OptionManager

    from torchdev_lint.cache.cache import Cache
    from torchdev_lint.config.settings import Settings
    from torchdev_lint.finding import Finding
    from torchdev_lint.source.source import Source

_Report = tuple[int, int, str, type]
_TOLD = ("moves", "moves-in-place", "module-bases", "loaders", "host-only")
"""The settings by which users tell of names."""


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
    honours_noqa: ClassVar[bool] = True
    told: ClassVar[dict[str, tuple[str, ...]]] = {}

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Let users tell flake8 of names what they may tell the command."""
        for name in _TOLD:
            manager.add_option(
                f"--torchdev-{name}",
                default="",
                comma_separated_list=True,
                parse_from_config=True,
                help=f"what the setting {name} of torchdev-lint says",
            )

    @classmethod
    def parse_options(cls, manager: object, options: argparse.Namespace, files: object) -> None:
        """Take over what flake8 was told: with `--disable-noqa` every finding is reported."""
        cls.honours_noqa = not options.disable_noqa
        names = {name.replace("-", "_"): f"torchdev_{name.replace('-', '_')}" for name in _TOLD}
        cls.told = {name: tuple(getattr(options, option)) for name, option in names.items()}

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
        except SettingsProblem as problem:
            _complain(str(problem))
        except Exception as error:
            what = f"internal error: {type(error).__name__}: {error}"
            _complain(shown(f"torchdev-lint: {self._filename} skipped: {what}"))

    @on_own_stack
    @not_collected()
    def _reports(self) -> list[_Report]:
        # Imported late: flake8 loads its plugins even where no file mentions PyTorch.
        from torchdev_lint.source.source import Source

        source = Source.from_text("".join(self._lines), self._filename)
        if not source.mentions_torch():
            return []
        return [
            (
                finding.span.line,
                finding.span.column,
                f"{finding.code} {shown(finding.message)}",
                type(self),
            )
            for finding in self._reported(source, self._findings(source))
        ]

    def _findings(self, source: Source) -> Sequence[Finding]:
        """Return what the rules find, if possible from an earlier run."""
        from torchdev_lint.cache.codes import rules_there_are
        from torchdev_lint.cache.findings import known, usual_cache
        from torchdev_lint.config.in_flake8 import told_in_flake8
        from torchdev_lint.config.settings import Settings
        from torchdev_lint.others import OWN

        cache = usual_cache()
        rules = rules_there_are(cache, self._filename)
        # flake8 takes from a plugin only codes that begin as its own do.
        own = [rule for rule in rules if rule.code.startswith(OWN)]
        codes = tuple(rule.code for rule in own if rule.opt_in == self.opt_in)
        if not codes:
            return []
        settings = Settings(rules=codes, told=told_in_flake8(self._filename, self.told))
        found = None if cache is None else known(cache, source, settings)
        return self._found(source, settings, cache) if found is None else found

    def _found(self, source: Source, settings: Settings, cache: Cache | None) -> Sequence[Finding]:
        """Return what the rules find, and keep it."""
        from torchdev_lint.cache.findings import keep
        from torchdev_lint.linter import lint
        from torchdev_lint.project.seen import watching
        from torchdev_lint.source.annotated import has_annotated_assignments

        # flake8's tree is there for other plugins as well, which may ask for annotations.
        tree = source.parse() if has_annotated_assignments(self._tree) else self._tree
        with watching() as seen:
            found = lint(source, tree, settings)
        if cache is not None:
            keep(cache, source, settings, seen, found)
        return found

    def _reported(self, source: Source, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Leave out what a comment silences that flake8 doesn't see, since it is on another line.

        What it sees it also has to see the finding for: its statistics count them, and other
        plugins ask whether a comment is of any use.
        """
        if not findings or not self.honours_noqa:
            return findings
        from torchdev_lint.suppression.suppressions import Suppressions

        comments = Suppressions(source)
        return [
            finding
            for finding in findings
            if comments.silences_line(finding.code, finding.span.line)
            or not comments.silences_elsewhere(finding.code, finding.name, finding.span.line)
        ]


def _complain(line: str) -> None:
    """Write a line to stderr, if there is one that can be written."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr)


class OptInChecker(Checker):
    """Runs the opt-in rules; `--enable-extensions=TDL9` turns it on."""

    name = "torchdev-lint-opt-in"
    off_by_default = True
    opt_in = True

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Add none: those of the other checker are for both."""
