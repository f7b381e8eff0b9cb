"""What the linter says of programs that train, beside what becomes of them on an accelerator."""

from __future__ import annotations

import enum

from tests.fixes.running import Ran
from torchdev_lint import check_source

_OF_PLACES = (
    "same device", "must be on", "should be either on cpu", "device type tensor to numpy",
    "Input type", "on cpu", "on cuda", "1D CPU int64",
)  # fmt: skip
"""What PyTorch says where things are in different places."""
NO_FAILURES = frozenset({"TDL001", "TDL009", "TDL101", "TDL102"})
"""Rules that tell what has no effect, or what fails on other machines alone."""


class Outcome(enum.Enum):
    """What becomes of a program."""

    RUNS = "runs"
    FAILS = "fails for its places"
    OTHER = "raises something else"


def outcome(done: Ran) -> Outcome:
    """Return what became of a program."""
    if not done.error:
        return Outcome.RUNS
    return Outcome.FAILS if any(text in done.error for text in _OF_PLACES) else Outcome.OTHER


def told(text: str, came: Outcome) -> list[str]:
    """Return what is said of a program: of one that runs, what says that it fails."""
    return [
        f"{finding.span.line}: {finding.code} {finding.message}"
        for finding in check_source(text, isolated=True)
        if came is not Outcome.RUNS or finding.code not in NO_FAILURES
    ]
