"""Which findings of a file are left aside: neither reported nor fixed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torchdev_lint.records import dataclass
from torchdev_lint.source.cells import Cells, line_in_file

if TYPE_CHECKING:
    from torchdev_lint.finding import Finding
    from torchdev_lint.sifting.baseline import Baseline, Held
    from torchdev_lint.sifting.changes import Changes


@dataclass(frozen=True, slots=True)
class Sifted:
    """What becomes of the findings of a file.

    Args:
        aside: which of them are left aside, by their numbers.
        held: what the baseline holds of them.
    """

    aside: frozenset[int] = frozenset()
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True)
class Sieve:
    """What findings are left aside by.

    Args:
        baseline: what was found before, and is left aside.
        changes: what changed; all that is about other lines is left aside. None: nothing is.
    """

    baseline: Baseline | None = None
    changes: Changes | None = None

    def may_let_through(self, path: str) -> bool:
        """Whether anything can be found in a file that is not left aside."""
        return self.changes is None or self.changes.has(path)

    def sifted(
        self,
        path: str,
        findings: Sequence[Finding],
        lines: Mapping[int, str],
        cells: Cells = (),
    ) -> Sifted:
        """Return which findings are left aside.

        Args:
            path: the file.
            findings: what is found in it.
            lines: the text of the lines that they are on, by number.
            cells: of a notebook where its cells are.
        """
        if self == NO_SIEVE:
            return Sifted()
        # Imported late: most runs report all that is found.
        from torchdev_lint.sifting.baseline import Held, held

        path, aside, known = os.path.abspath(path), set[int](), list[Held]()
        left = Counter[Held]() if self.baseline is None else self.baseline.counts_of(path)
        for number, finding in enumerate(findings):
            entry = held(finding, lines)
            if left[entry]:
                left[entry] -= 1
                known.append(entry)
                aside.add(number)
            elif self.changes is not None and not _is_about(finding, path, cells, self.changes):
                aside.add(number)
        return Sifted(frozenset(aside), tuple(known))


NO_SIEVE = Sieve()
"""What leaves nothing aside."""


def _is_about(finding: Finding, path: str, cells: Cells, changes: Changes) -> bool:
    """Whether a finding is on changed lines, or meets something in its file there."""
    spans = [finding.span, *(place.span for place in finding.related if place.path is None)]
    lines = {line for span in spans for line in range(span.line, span.end_line + 1)}
    return changes.touch(path, {line_in_file(cells, line) for line in lines})
