"""TDL900: a comment silences a rule that finds nothing there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchdev_lint.change import Fix
from torchdev_lint.finding import Finding
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.source import Source
from torchdev_lint.suppression.suppressions import UNUSED
from torchdev_lint.suppression.unused import Unused, unused_in


class UnusedSuppression(Rule):
    """`# noqa: TDL002` on a line on which TDL002 finds nothing."""

    code = UNUSED
    name = "unused-suppression"
    summary = "A comment silences a rule that finds nothing there."
    reason = """\
A comment that silences nothing any more hides what somebody will write there tomorrow, and tells
readers of a defect that isn't there.

`# noqa` comments are looked at only for the rules of torchdev-lint that they name, so that those of
other linters stay as they are; `# torchdev-lint: ignore` and `# torchdev-lint: ignore-file` also
where they name none. It doesn't matter which rules are selected: a comment is of use if its rule
would find something. Nothing is said in files that are silenced as a whole by `# flake8: noqa`, or
that were too large to be looked at to their end. Its fix removes what is of no use, and the reason
with the last rule.
"""
    bad = """\
import torch

x = torch.ones(3).cuda()  # noqa: TDL001
print(x)
"""
    good = """\
import torch

x = torch.ones(3).cuda()
print(x)
"""
    fix_safety = """\
The fix is always safe: it changes comments alone.
"""
    triggers = frozenset()
    opt_in = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield nothing: what this is about is no fact of the analysis."""
        return iter(())

    def check_comments(self, source: Source, found: Sequence[Finding]) -> Iterator[Finding]:
        """Yield a finding for each comment of which something is of no use.

        Args:
            source: the file.
            found: what all rules find in it, silenced or not.
        """
        for unused in unused_in(source, found):
            yield Finding(self.code, self.name, _message(unused), unused.span, fix=_fix(unused))


def _message(unused: Unused) -> str:
    rules = ", ".join(f"`{name}`" for name in unused.names)
    return f"this comment silences nothing: {rules or 'no rule'} finds nothing here"


def _fix(unused: Unused) -> Fix:
    what = ", ".join(unused.names) if unused.edit.text else "the comment"
    return Fix(f"Remove {what}", "safe", (unused.edit,))
