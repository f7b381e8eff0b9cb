"""From findings to edits that go together."""

from __future__ import annotations

from bisect import bisect_left, insort
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
    taken = _Taken()
    for repair in repairs:
        if not any(map(taken.conflicts, repair.edits)):
            chosen.append(repair)
            for edit in repair.edits:
                taken.add(edit)
    return chosen


class _Taken:
    """Edits that are to be made, none of which touches another."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []
        # What lines of their own assign to, by the places where they are put; "" for all else.
        self._assigned: dict[tuple[int, int], set[str]] = {}

    def add(self, edit: Edit) -> None:
        """Note that an edit is to be made."""
        place = edit.start, edit.end
        if place not in self._assigned:
            insort(self._places, place)
            self._assigned[place] = set()
        self._assigned[place].add(edit.assigns)

    def conflicts(self, edit: Edit) -> bool:
        """Whether an edit touches one of these.

        Two may be made at the very same place that are lines which assign to different things.
        """
        place = edit.start, edit.end
        at = bisect_left(self._places, place)
        assigned = self._assigned.get(place, frozenset[str]())
        end = at + (place in self._assigned)
        for start, stop in self._places[max(at - 1, 0) : at] + self._places[end : end + 1]:
            if edit.start == start or (edit.start < stop and start < edit.end):
                return True
        return bool(assigned) and not (edit.assigns and {"", edit.assigns}.isdisjoint(assigned))
