"""Which fixes are offered: those that `--fix` makes, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torchdev_lint.applying.apply import fix_source
from torchdev_lint.finding import Finding
from torchdev_lint.fixes.change import Fix
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.source import Source


def offered(
    source: Source, findings: Sequence[Finding], rules: Sequence[Rule], unsafe: bool
) -> tuple[Finding, ...]:
    """Return the findings of a file, each with the fix that mends it or with none.

    A comment may stand in the way of a fix, or another fix, and one after which something else
    would fail is withdrawn; all that shows when the file is fixed, so that is what is done here.

    Args:
        source: the file.
        findings: all that is found in it, less what comments silence.
        rules: the rules that found it.
        unsafe: whether unsafe fixes will be allowed.
    """
    mends: Sequence[Fix | None] = [None] * len(findings)
    if any(finding.fix_for(unsafe) for finding in findings):
        mends = fix_source(source, rules, unsafe).mends
    pairs = list(zip(findings, mends, strict=True))
    if not unsafe and any(finding.fix_for(unsafe=True) for finding, mend in pairs if not mend):
        # Whoever hasn't allowed unsafe fixes is told what these would do besides.
        besides = [_if_unsafe(fix) for fix in fix_source(source, rules, unsafe=True).mends]
        mends = [mend or other for mend, other in zip(mends, besides, strict=True)]
    return tuple(
        replace(finding, fix=mend, unsafe_fix=None)
        for finding, mend in zip(findings, mends, strict=True)
    )


def _if_unsafe(fix: Fix | None) -> Fix | None:
    return fix if fix is not None and fix.applicability == "unsafe" else None
