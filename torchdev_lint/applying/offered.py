"""Which fixes are offered: those that `--fix` makes, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from torchdev_lint.applying.apply import fix_version
from torchdev_lint.applying.version import Version
from torchdev_lint.change import Fix
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.records import dataclass, replace

_MOST_SPENT = 75_000
"""What all analyses of a file may take together, so that another one is begun to try fixes.

As `Version.cost` counts it. Of 196 files of real projects that have a fix, the dearest takes 26,000
for each.
"""


@dataclass(frozen=True, slots=True)
class Offer:
    """The findings of a file, each with the fix that mends it or with none.

    Args:
        findings: these.
        untried: of how many of them it was not tried what would mend them: it is too much work
            for those who don't fix the file.
    """

    findings: tuple[Finding, ...]
    untried: int = 0


def offered(
    version: Version,
    settings: Settings,
    unsafe: bool,
    mends: Sequence[Fix | None] | None = None,
) -> Offer:
    """Return the findings of a file, each with the fix that mends it or with none.

    A comment may stand in the way of a fix, or another fix, and one after which something else
    would fail is withdrawn; all that shows when the file is fixed, so that is what is done here.

    Args:
        version: the file, and all that is found in it, less what comments silence.
        settings: what holds for the file.
        unsafe: whether unsafe fixes will be allowed.
        mends: the fix that mends each finding, where the file was fixed already.
    """
    findings, untried = version.findings, frozenset[int]()
    left = _MOST_SPENT - version.cost
    if mends is None:
        mends = [None] * len(findings)
        if any(finding.fix_for(unsafe) for finding in findings):
            fixed = fix_version(version, settings, unsafe, most=left)
            mends, untried, left = fixed.mends, fixed.untried, left - fixed.spent
    pairs = list(zip(findings, mends, strict=True))
    if not unsafe and any(finding.fix_for(unsafe=True) for finding, mend in pairs if not mend):
        # Whoever hasn't allowed unsafe fixes is told what these would do besides.
        fixed = fix_version(version, settings, unsafe=True, most=left)
        besides = [_if_unsafe(fix) for fix in fixed.mends]
        mends = [mend or other for mend, other in zip(mends, besides, strict=True)]
        untried |= {n for n in fixed.untried if mends[n] is None}
    told = (replace(each, fix=mends[n], unsafe_fix=None) for n, each in enumerate(findings))
    return Offer(tuple(told), len(untried))


def _if_unsafe(fix: Fix | None) -> Fix | None:
    return fix if fix is not None and fix.applicability == "unsafe" else None
