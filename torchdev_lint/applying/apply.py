"""Applying the fixes of a file until nothing is left to do, and checking what they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from torchdev_lint.applying.edit import Edit, Text, apply_edits, moved_offset
from torchdev_lint.finding import Finding
from torchdev_lint.fixes.change import CannotEdit, Fix
from torchdev_lint.linter import facts_of, findings_in
from torchdev_lint.placement.facts.events import Meeting
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.source import Source, SourceError
from torchdev_lint.suppression import Suppressions, unsuppressed

_MAX_ROUNDS = 100
_MAX_CHAIN = 10
"""How many findings may come to light one behind the other when one is fixed."""

_Key = tuple[str, int]
"""A finding's code, and where it begins."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What became of a file.

    Args:
        source: the file as it should be.
        findings: what is left in it.
        fixed: what is not any more.
        withdrawn: findings whose fix was undone, since something else was wrong afterwards.
        before: what was found in it at first.
        mends: for each of these the fix after which it was gone; None if it is still there.
    """

    source: Source
    findings: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    withdrawn: tuple[Finding, ...]
    before: tuple[Finding, ...]
    mends: tuple[Fix | None, ...]


@dataclass(frozen=True, slots=True)
class _Repair:
    """A finding and the edits that mend it.

    Args:
        attempt: how many fixes come before this one, each to be tried if the one before fails.
    """

    finding: Finding
    attempt: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class _State:
    """A version of the file and what is found in it.

    Args:
        failing: where host values are made that meet the accelerator, reported or not.
    """

    source: Source
    text: Text
    findings: tuple[Finding, ...]
    failing: frozenset[int]

    def key(self, finding: Finding) -> _Key:
        """Tell a finding from the others."""
        return finding.code, self.text.offset(finding.span.line, finding.span.column)


def fix_source(source: Source, rules: Sequence[Rule], unsafe: bool = False) -> Fixed:
    """Apply the fixes of a file.

    After each step the file is analysed again. A fix after which its finding is still there, or
    another one is new that can't be fixed as well, is undone.

    Args:
        source: the file.
        rules: the rules to ask.
        unsafe: whether to apply unsafe fixes too.

    Raises:
        SourceError: the file can't be parsed.
    """
    return _Session(source, rules, unsafe).run()


class _Session:
    """The fixing of one file."""

    def __init__(self, source: Source, rules: Sequence[Rule], unsafe: bool) -> None:
        self._rules = rules
        self._unsafe = unsafe
        self._state = self._analysed(source)
        self._before = self._state.findings
        self._keys_now = [self._state.key(finding) for finding in self._before]
        self._attempts: dict[int, int] = {}
        self._failures: dict[_Key, int] = {}
        self._fixed: list[Finding] = []

    def run(self) -> Fixed:
        limit = len(self._before)
        for _ in range(_MAX_ROUNDS):
            repairs = self._repairs(self._state, self._state.findings)
            chosen = _compatible(repairs, limit)
            if not chosen:
                break
            # Many at once, until the one that fails is alone: a file with hundreds is analysed a
            # few times and not hundreds of times.
            if self._try(chosen):
                limit *= 2
            elif len(chosen) > 1:
                limit = len(chosen) // 2
            else:
                key = self._state.key(chosen[0].finding)
                self._failures[key] = self._failures.get(key, 0) + 1
        state = self._state
        withdrawn = [f for f in state.findings if state.key(f) in self._failures]
        return Fixed(
            state.source,
            state.findings,
            tuple(self._fixed),
            tuple(withdrawn),
            self._before,
            self._mends(),
        )

    def _mends(self) -> tuple[Fix | None, ...]:
        """Return the fix of each finding that was there at first and is gone."""
        left = {self._state.key(finding) for finding in self._state.findings}
        mends: list[Fix | None] = []
        for number, finding in enumerate(self._before):
            fixes = [] if self._keys_now[number] in left else finding.fixes_for(self._unsafe)
            mends.append(next(islice(fixes, self._attempts.get(number, 0), None), None))
        return tuple(mends)

    def _analysed(self, source: Source) -> _State:
        text = Text(source)
        facts = facts_of(source, source.parse(), self._rules)
        if facts is None:
            return _State(source, text, (), frozenset())
        found = unsuppressed(source, findings_in(facts, self._rules))
        spans = [facts.span(meeting.origin.node) for meeting in facts.of(Meeting)]
        failing = frozenset(text.offset(span.line, span.column) for span in spans)
        return _State(source, text, tuple(found), failing)

    def _repairs(self, state: _State, findings: Iterable[Finding]) -> Iterator[_Repair]:
        comments = Suppressions(state.source)
        for finding in findings:
            failures = self._failures.get(state.key(finding), 0)
            possible = self._possible(state, finding, comments)
            yield from islice(possible, failures, failures + 1)

    def _possible(
        self, state: _State, finding: Finding, comments: Suppressions
    ) -> Iterator[_Repair]:
        """Yield the ways to mend a finding that the text and its comments allow."""
        for attempt, fix in enumerate(finding.fixes_for(self._unsafe)):
            try:
                edits = state.text.edits(fix)
            except CannotEdit:
                continue
            lines = {line for edit in edits for line in state.text.lines_changed(edit)}
            if not any(comments.silences(finding.code, line) for line in lines):
                yield _Repair(finding, attempt, edits)

    def _try(self, repairs: list[_Repair]) -> bool:
        """Apply fixes, and those of findings that come to light; keep the result if it is good."""
        first, keys_now = repairs, self._keys_now
        before, fixed = self._state, [repair.finding for repair in repairs]
        gone = {before.key(finding) for finding in fixed}
        expected = {before.key(finding) for finding in before.findings} - gone
        failures, failing = self._failures, set(before.failing)
        for _ in range(_MAX_CHAIN):
            edits = sorted(edit for repair in repairs for edit in repair.edits)
            try:
                after = self._analysed(apply_edits(before.source, edits))
            except (CannotEdit, SourceError, RecursionError):
                return False
            expected, gone = _moved(expected, edits), _moved(gone, edits)
            failures = {(c, moved_offset(at, edits)): n for (c, at), n in failures.items()}
            failing = {moved_offset(offset, edits) for offset in failing}
            keys_now = [(code, moved_offset(at, edits)) for code, at in keys_now]
            fresh = [finding for finding in after.findings if after.key(finding) not in expected]
            if not fresh:
                if not after.failing <= failing:
                    return False
                self._note_attempts(first)
                self._state, self._failures, self._keys_now = after, failures, keys_now
                self._fixed.extend(fixed)
                return True
            repairs = _compatible(self._repairs(after, fresh), len(fresh))
            if not repairs or any(after.key(finding) in gone for finding in fresh):
                return False
            gone |= {after.key(repair.finding) for repair in repairs}
            fixed.extend(repair.finding for repair in repairs)
            before = after
        return False

    def _note_attempts(self, repairs: Iterable[_Repair]) -> None:
        numbers = {key: number for number, key in enumerate(self._keys_now)}
        for repair in repairs:
            key = self._state.key(repair.finding)
            if key in numbers:
                self._attempts[numbers[key]] = repair.attempt


def _moved(keys: Iterable[_Key], edits: Sequence[Edit]) -> set[_Key]:
    return {(code, moved_offset(offset, edits)) for code, offset in keys}


def _compatible(repairs: Iterable[_Repair], limit: int) -> list[_Repair]:
    """Leave out repairs that touch what an earlier one changes; their turn comes later.

    Args:
        limit: how many to choose, at most.
    """
    chosen: list[_Repair] = []
    for repair in repairs:
        if len(chosen) == limit:
            break
        taken = [edit for other in chosen for edit in other.edits]
        if not any(_conflict(edit, other) for edit in repair.edits for other in taken):
            chosen.append(repair)
    return chosen


def _conflict(first: Edit, second: Edit) -> bool:
    return first.touches(second) or first.start == second.start
