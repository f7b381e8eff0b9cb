"""A rule for Fixit, which reports what `torchdev-lint` reports. Only Fixit imports this module.

[tool.fixit]
enable = ["torchdev_lint.fixit"]
"""

from __future__ import annotations

from typing import ClassVar

import libcst as cst
from fixit import Invalid, LintRule, Valid
from libcst.metadata import CodePosition, CodeRange

from torchdev_lint.metadata.findings import FindingProvider, Flagged, flagged_for
from torchdev_lint.rules import OWN_RULES

_SHOWN = tuple(rule for rule in OWN_RULES if rule.triggers and not rule.opt_in)


class DevicePlacement(LintRule):
    """Device-placement bugs in PyTorch code: what torchdev-lint finds, by its settings."""

    METADATA_DEPENDENCIES = (FindingProvider,)
    INVALID: ClassVar = [Invalid(rule.bad) for rule in _SHOWN]
    VALID: ClassVar = [Valid(rule.good) for rule in _SHOWN]

    def visit_Module(self, node: cst.Module) -> None:
        """Report all that is found."""
        for flagged in flagged_for(self):
            self._report(flagged)

    def _report(self, flagged: Flagged) -> None:
        finding, span = flagged.finding, flagged.finding.span
        begin, end = (span.line, span.column), (span.end_line, span.end_column)
        is_safe = finding.fix_for(unsafe=False) is not None
        self.report(
            flagged.node,
            f"{finding.code} {finding.message}",
            position=CodeRange(CodePosition(*begin), CodePosition(*end)),
            replacement=flagged.replacement if is_safe else None,
        )
