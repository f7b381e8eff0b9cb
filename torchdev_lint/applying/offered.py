"""Which fixes are offered: those that `--fix` makes, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from torchdev_lint.applying.apply import fix_version
from torchdev_lint.applying.version import Version
from torchdev_lint.change import Fix
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.records import replace


def offered(
    version: Version,
    settings: Settings,
    unsafe: bool,
    mends: Sequence[Fix | None] | None = None,
) -> tuple[Finding, ...]:
    """Return the findings of a file, each with the fix that mends it or with none.

    A comment may stand in the way of a fix, or another fix, and one after which something else
    would fail is withdrawn; all that shows when the file is fixed, so that is what is done here.

    Args:
        version: the file, and all that is found in it, less what comments silence.
        settings: what holds for the file.
        unsafe: whether unsafe fixes will be allowed.
        mends: the fix that mends each finding, where the file was fixed already.
    """
    findings = version.findings
    if mends is None:
        mends = [None] * len(findings)
        if any(finding.fix_for(unsafe) for finding in findings):
            mends = fix_version(version, settings, unsafe).mends
    pairs = list(zip(findings, mends, strict=True))
    if not unsafe and any(finding.fix_for(unsafe=True) for finding, mend in pairs if not mend):
        # Whoever hasn't allowed unsafe fixes is told what these would do besides.
        besides = [_if_unsafe(fix) for fix in fix_version(version, settings, unsafe=True).mends]
        mends = [mend or other for mend, other in zip(mends, besides, strict=True)]
    return tuple(
        replace(finding, fix=mend, unsafe_fix=None)
        for finding, mend in zip(findings, mends, strict=True)
    )


def _if_unsafe(fix: Fix | None) -> Fix | None:
    return fix if fix is not None and fix.applicability == "unsafe" else None
