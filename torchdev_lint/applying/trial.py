"""Making fixes together, with those of what comes to light behind them, and judging the result."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeAlias

from torchdev_lint.applying.blame import Blame, Lines, Suspects, Zone
from torchdev_lint.applying.edit import Shift, apply_edits
from torchdev_lint.applying.repair import Repair, Repairs, compatible
from torchdev_lint.applying.version import Key, Version, analysed
from torchdev_lint.change import CannotEdit
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import SourceError

_MAX_CHAIN = 10
"""How many findings may come to light one behind the other when one is fixed."""
_MOST_SPENT = 40_000
"""What the analyses of a trial may have taken when more is looked for behind those, at the most."""

_Step: TypeAlias = "list[tuple[Repair, Suspects]]"
"""Fixes, and which of those that are tried have made them necessary."""


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that is wrong after fixes, and was not before.

    Args:
        key: what tells it from others, as a place in the file before.
        suspects: the fixes that may be to blame, by their numbers.
    """

    key: Key
    suspects: Suspects


class Trial:
    """What becomes of a file if some fixes are made together.

    Args:
        before: the file.
        chosen: the fixes, of which none touches another; they are known by their numbers.
        settings: what holds for the file.
        unsafe: whether what comes to light may be mended by unsafe fixes.
        most: what its analyses may have taken when another one is begun.
    """

    def __init__(
        self,
        before: Version,
        chosen: Sequence[Repair],
        settings: Settings,
        unsafe: bool,
        most: float,
    ) -> None:
        self.version = before
        self.fixed: list[Finding] = []
        self.spent = 0
        """What its analyses have taken, as `Version.cost` counts it."""
        self._first = [(repair, frozenset({n})) for n, repair in enumerate(chosen)]
        self._left_out = before.left_out
        self._settings = settings
        self._unsafe = unsafe
        self._most = min(most, _MOST_SPENT)
        self._shifts: list[Shift] = []
        self._zones: list[Zone] = []
        self._gone: dict[Key, Suspects] = {}
        self._expected = {before.key(finding) for finding in before.findings}
        self._failing = set(before.failing)

    def run(self) -> list[Sign]:
        """Make the fixes; return what is wrong then: nothing, if they can stay."""
        step = self._first
        while self._may_go_on():
            try:
                self._make(step)
            except CannotEdit:
                return [Sign(("", n), suspects) for n, (_, suspects) in enumerate(self._first)]
            except (SourceError, RecursionError):
                return [Sign(("", 0), frozenset(range(len(self._first))))]
            step, signs = self._behind()
            if not step:
                return signs
        return [Sign(self._origin(self.version.key(r.finding)), suspects) for r, suspects in step]

    def _may_go_on(self) -> bool:
        """Whether to look for what comes to light behind what has been fixed so far.

        Where code had been left out, that may be anything, with each further fix.
        """
        if self._shifts and self._left_out:
            return False
        return len(self._shifts) < _MAX_CHAIN and (not self._shifts or self.spent < self._most)

    def moved(self, key: Key) -> Key:
        """Return what tells a finding from the others after the fixes.

        Args:
            key: what did so before.
        """
        code, offset = key
        for shift in self._shifts:
            offset = shift.moved(offset)
        return code, offset

    def _make(self, step: _Step) -> None:
        """Make fixes, and analyse the file again."""
        for repair, suspects in step:
            self._gone[self.version.key(repair.finding)] = suspects
        written = [(edit, suspects) for repair, suspects in step for edit in repair.edits]
        written.sort(key=lambda pair: (pair[0].start, pair[0].end))  # else as they were found
        edits = [edit for edit, _ in written]
        source, shift = apply_edits(self.version.source, edits), Shift(edits)
        self.fixed += [repair.finding for repair, _ in step]
        self._shifts.append(shift)
        self._expected = {
            (code, shift.moved(offset))
            for code, offset in self._expected
            if (code, offset) not in self._gone
        }
        self._gone = {(code, shift.moved(at)): who for (code, at), who in self._gone.items()}
        self._failing = set(map(shift.moved, self._failing))
        self._left_out = self._left_out.moved(shift)
        moved = (Zone(shift.moved(z.start), shift.moved(z.end), z.suspects) for z in self._zones)
        new = (Zone(*shift.stretch(n), suspects) for n, (_, suspects) in enumerate(written))
        self._zones = [*moved, *new]
        self.version = analysed(source, self._settings)
        self.spent += self.version.cost

    def _behind(self) -> tuple[_Step, list[Sign]]:
        """Return the fixes of what has come to light; or else what is wrong."""
        version = self.version
        elsewhere = self._expected.difference(map(version.key, version.findings))
        fresh = [finding for finding in version.findings if self._is_fresh(finding, elsewhere)]
        still_there = [key for key in map(version.key, fresh) if key in self._gone]
        if still_there:
            return [], [Sign(self._origin(key), self._gone[key]) for key in still_there]
        failing = {at for at in version.failing - self._failing if not self._left_out.hold(at)}
        if not fresh and not failing:
            return [], []
        blame, repairs = Blame(version, self._zones), Repairs(version, self._unsafe)
        step = compatible(repair for finding in fresh for repair in repairs.of(finding)[:1])
        if step:
            return [(repair, blame.suspects(_lines(repair.finding))) for repair in step], []
        places = {version.key(finding): _lines(finding) for finding in fresh}
        if not fresh:
            places = {("", at): [(version.text.place(at)[0],) * 2] for at in sorted(failing)}
        return [], [Sign(self._origin(key), blame.suspects(places[key])) for key in places]

    def _is_fresh(self, finding: Finding, elsewhere: Set[Key]) -> bool:
        """Whether a finding was not there before, as far as one could have seen it.

        Of a batch that a fix has moved in part the rest is told where it is used, no longer where
        the loop takes it, which is a related place then.

        Args:
            elsewhere: what was there before, and isn't told there any more.
        """
        code, at = key = self.version.key(finding)
        if key in self._expected or self._left_out.hold(at):
            return False
        places = (place.span for place in finding.related if place.path is None)
        offsets = (self.version.text.offset(span.line, span.column) for span in places)
        return elsewhere.isdisjoint((code, offset) for offset in offsets)

    def _origin(self, key: Key) -> Key:
        code, offset = key
        for shift in reversed(self._shifts):
            offset = shift.origin(offset)
        return code, offset


def _lines(finding: Finding) -> list[Lines]:
    """Return the lines of the file that a finding is about."""
    spans = [finding.span, *(place.span for place in finding.related if place.path is None)]
    return [(span.line, span.end_line) for span in spans]
