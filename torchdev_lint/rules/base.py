"""What a rule is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from torchdev_lint.catalog.told import now
from torchdev_lint.config.options import Option
from torchdev_lint.config.selection import is_called

if TYPE_CHECKING:
    from torchdev_lint.finding import Finding
    from torchdev_lint.placement.facts.facts import Facts
    from torchdev_lint.source.source import Source
    from torchdev_lint.triage.triggers import Trigger


class Rule(ABC):
    """One question asked of the facts that the placement analysis found.

    A rule is one file: what it is called, why it matters, a bad and a good example
    (which are its first tests and its documentation page) and the check.
    """

    code: ClassVar[str]
    """`TDL` and three digits; of a rule of others, other letters and digits."""
    name: ClassVar[str]
    """The name in kebab case."""
    summary: ClassVar[str]
    """One sentence, for `--list-rules`."""
    reason: ClassVar[str]
    """Why this fails on a GPU, for `--explain` and the documentation page; Markdown."""
    bad: ClassVar[str]
    """A program in which the rule has exactly one finding."""
    good: ClassVar[str]
    """The same program, mended: no rule has a finding in it."""
    fix_safety: ClassVar[str]
    """When its fixes are safe and when not, for `--explain` and the page; Markdown."""
    triggers: ClassVar[frozenset[Trigger]]
    """What a file must have at least one of for the rule to find something in it."""
    wants_unsupposed: ClassVar[bool] = False
    """Whether it asks what holds where nothing is supposed of devices (`Facts.unsupposed`)."""
    advice: ClassVar[bool] = False
    """Whether what it reports may well work, and could be simpler or cost less: it is opt-in."""
    opt_in: ClassVar[bool] = False
    """Whether the rule is off until it is selected by code."""
    preview: ClassVar[bool] = False
    """Whether that is because it is still being tried out: with `preview` it runs by default."""
    options: ClassVar[tuple[Option, ...]] = ()
    """What it can be told, under `rule-options`."""

    @abstractmethod
    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield the rule's findings in one file.

        Args:
            facts: what the placement analysis knows about the file.
        """

    def told(self, key: str, otherwise: object) -> object:
        """Return what the rule is told for the file at hand.

        Args:
            key: one of its options.
            otherwise: what holds where nothing is told.
        """
        for selector, given in reversed(now().rule_options):
            if is_called(self, selector) and key in dict(given):
                return dict(given)[key]
        return otherwise

    def check_comments(self, source: Source, found: Sequence[Finding]) -> Iterator[Finding]:
        """Yield what the rule finds about comments that silence findings.

        Args:
            source: the file.
            found: what all rules find in it, silenced or not.
        """
        return iter(())
