"""From findings to edits that go together."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from torchdev_lint.applying.edit import Edit
from torchdev_lint.applying.version import Version
from torchdev_lint.change import CannotEdit
from torchdev_lint.finding import Finding
from torchdev_lint.records import dataclass
from torchdev_lint.source.span import Span
from torchdev_lint.suppression.suppressions import Suppressions


@dataclass(frozen=True, slots=True)
class Repair:
    """A finding and the edits that mend it.

    Args:
        finding: the finding.
        attempt: how many fixes come before this one, each to be tried if the one before fails.
        edits: what to replace, in order.
    """

    finding: Finding
    attempt: int
    edits: tuple[Edit, ...]


class Repairs:
    """The ways to mend the findings of a version of a file, each worked out once.

    Args:
        version: the file.
        unsafe: whether unsafe fixes are allowed.
    """

    def __init__(self, version: Version, unsafe: bool) -> None:
        self._version = version
        self._unsafe = unsafe
        self._comments = Suppressions(version.source)
        self._known: dict[tuple[str, Span], tuple[Repair, ...]] = {}

    def of(self, finding: Finding) -> tuple[Repair, ...]:
        """Return the ways to mend a finding that the text and its comments allow, best first."""
        key = (finding.code, finding.span)
        if key not in self._known:
            self._known[key] = tuple(self._possible(finding))
        return self._known[key]

    def _possible(self, finding: Finding) -> Iterable[Repair]:
        text = self._version.text
        for attempt, fix in enumerate(finding.fixes_for(self._unsafe)):
            try:
                edits = text.edits(fix)
            except CannotEdit:
                continue
            lines = {line for edit in edits for line in text.lines_changed(edit)}
            if not any(self._comments.silences(finding.code, finding.name, line) for line in lines):
                yield Repair(finding, attempt, edits)


def compatible(repairs: Iterable[Repair]) -> list[Repair]:
    """Leave out repairs that touch what an earlier one changes; their turn comes later."""
    chosen: list[Repair] = []
    taken: list[Edit] = []
    for repair in repairs:
        if not any(_conflicts(edit, taken) for edit in repair.edits):
            chosen.append(repair)
            for edit in repair.edits:
                insort(taken, edit, key=_place)
    return chosen


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _conflicts(edit: Edit, taken: list[Edit]) -> bool:
    """Whether an edit touches one of others, which don't touch each other and are in order."""
    at, end = (find(taken, _place(edit), key=_place) for find in (bisect_left, bisect_right))
    beside = taken[max(at - 1, 0) : at] + taken[end : end + 1]
    if any(edit.touches(other) or edit.start == other.start for other in beside):
        return True
    return any(not edit.stands_beside(other) for other in taken[at:end])
