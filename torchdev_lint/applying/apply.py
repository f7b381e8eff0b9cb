"""Applying the fixes of a file until nothing is left to do, and undoing those that don't hold.

All fixes are made at once, and the file is analysed once. If something is wrong then, those that
may be to blame for it are left out, and the others are made again; each has its turn in the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from math import inf

from torchdev_lint.applying.blame import numbered
from torchdev_lint.applying.repair import Repair, Repairs, compatible
from torchdev_lint.applying.trial import Sign, Trial
from torchdev_lint.applying.version import Key, Version, analysed
from torchdev_lint.change import Fix
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source
from torchdev_lint.stack import on_own_stack

_PATIENCE = 30
"""After how many trials that fail each further one undoes all that was tried in it."""
_MOST_FAILED = 1_000_000
"""What trials that fail may take, before a further one undoes all: see `Version.cost`."""
_MOST_SEARCHED = 100_000
"""What it may take to find out which fixes are to blame for what is wrong.

After that all that may be to blame is undone; at once in a file of which code was left out, where
each trial may bring more of it to light.
"""
_MOST_SEARCHED_FOR_ANOTHER = 2 * _MOST_SEARCHED
"""After which no other fix of a finding is tried whose first one was undone."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What became of a file.

    Args:
        start: the file as it was.
        end: the file as it should be.
        fixed: the findings that are gone.
        withdrawn: findings whose fix was undone, since something else was wrong afterwards.
        mends: for each finding at the start the fix after which it was gone; None if it is still
            there.
        spared: findings that were not to be fixed, as they are known in the end.
        untried: the findings at the start, by their numbers, of which it was not tried to the end
            what would mend them.
        spent: what all analyses have taken.
    """

    start: Version
    end: Version
    fixed: tuple[Finding, ...]
    withdrawn: tuple[Finding, ...]
    mends: tuple[Fix | None, ...]
    spared: frozenset[Key] = frozenset()
    untried: frozenset[int] = frozenset()
    spent: int = 0

    @property
    def source(self) -> Source:
        """The file as it should be."""
        return self.end.source

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is left in it."""
        return self.end.findings

    @property
    def before(self) -> tuple[Finding, ...]:
        """What was found in it at first."""
        return self.start.findings


@on_own_stack
def fix_source(source: Source, settings: Settings, unsafe: bool = False) -> Fixed:
    """Apply the fixes of a file.

    After each step the file is analysed again. A fix after which its finding is still there, or
    another one is new that can't be fixed as well, is undone. To fix the result again changes
    nothing.

    Args:
        source: the file.
        settings: what holds for the file.
        unsafe: whether to apply unsafe fixes too.

    Raises:
        SourceError: the file can't be parsed.
    """
    return fix_version(analysed(source, settings), settings, unsafe)


def fix_version(
    start: Version,
    settings: Settings,
    unsafe: bool,
    spared: Collection[int] = (),
    most: float = inf,
) -> Fixed:
    """Apply the fixes of a file that was analysed already, as `fix_source` does.

    Args:
        start: the file.
        settings: what holds for the file.
        unsafe: whether to apply unsafe fixes too.
        spared: the findings that are not to be fixed, by their numbers.
        most: what the analyses may have taken when another one is begun.
    """
    return _Session(start, settings, unsafe, spared, most).run()


class _Session:
    """The fixing of one file."""

    def __init__(
        self,
        start: Version,
        settings: Settings,
        unsafe: bool,
        spared: Collection[int],
        most: float,
    ) -> None:
        self._settings = settings
        self._most = most
        self._spent = 0
        # What there was no more time to try.
        self._untried: set[Key] = set()
        self._unsafe = unsafe
        self._start = self._version = start
        self._repairs = Repairs(start, unsafe)
        self._keys_now = [start.key(finding) for finding in start.findings]
        self._spared = frozenset(self._keys_now[number] for number in spared)
        self._attempts: dict[int, int] = {}
        # What the trials of this pass have taken that failed.
        self._searched = 0
        self._fixed: list[Finding] = []
        # How many of the fixes of a finding have failed.
        self._failures: dict[Key, int] = {}
        # What is left out for now, in order to see whether it is to blame.
        self._held: set[Key] = set()
        # What was undone for the sake of something that is wrong.
        self._blamed: dict[Key, list[Key]] = {}

    def run(self) -> Fixed:
        """Fix it: when nothing changes with all that failed tried again, nothing ever will."""
        while self._pass():
            self._failures.clear()
        version = self._version
        withdrawn = [f for f in version.findings if version.key(f) in self._failures]
        untried = (n for n, key in enumerate(self._keys_now) if key in self._untried)
        return Fixed(
            *(self._start, version, tuple(self._fixed), tuple(withdrawn)),
            *(self._mends(), self._spared, frozenset(untried), self._spent),
        )

    def _pass(self) -> bool:
        """Try every fix; return whether one has stayed. Each pass leaves fewer findings."""
        self._release()
        self._untried.clear()
        self._searched = 0
        changed, failed = False, 0
        while chosen := self._chosen():
            if self._spent + self._version.cost > self._most:
                self._release()
                self._untried.update(self._version.key(r.finding) for r in self._candidates())
                break
            trial, signs = self._tried(chosen)
            if not signs:
                self._keep(trial, chosen)
                changed = True
                continue
            if failed == _PATIENCE or self._searched > _MOST_FAILED:
                self._withdraw(chosen)
                continue
            failed += 1
            if self._searched < _MOST_SEARCHED and not self._version.left_out:
                self._leave_out(chosen, signs)
            else:
                suspects = frozenset[int]().union(*(sign.suspects for sign in signs))
                if self._version.left_out and len(suspects) == len(chosen):
                    self._give_up(chosen)
                else:
                    self._withdraw([chosen[number] for number in sorted(suspects)] or chosen)
        return changed

    def _tried(self, repairs: Sequence[Repair]) -> tuple[Trial, list[Sign]]:
        left = self._most - self._spent
        trial = Trial(self._version, repairs, self._settings, self._unsafe, left)
        signs = trial.run()
        self._spent += trial.spent
        self._searched += trial.spent if signs else 0
        return trial, signs

    def _chosen(self) -> list[Repair]:
        """Return what to try next: all that may be right, less what is held back."""
        chosen = compatible(self._candidates())
        if not chosen and self._held:
            self._release()
            chosen = compatible(self._candidates())
        return chosen

    def _candidates(self) -> Iterator[Repair]:
        for finding in self._version.findings:
            key = self._version.key(finding)
            if key in self._held or key in self._spared:
                continue
            failures = self._failures.get(key, 0)
            if failures and self._searched >= _MOST_SEARCHED_FOR_ANOTHER:
                continue
            if not self._version.left_out.hold(key[1]):
                yield from self._repairs.of(finding)[failures : failures + 1]

    def _release(self) -> None:
        self._held.clear()
        self._blamed.clear()

    def _withdraw(self, repairs: Iterable[Repair]) -> None:
        for repair in repairs:
            key = self._version.key(repair.finding)
            self._failures[key] = self._failures.get(key, 0) + 1
            self._held.add(key)

    def _give_up(self, repairs: Iterable[Repair]) -> None:
        """Undo fixes, and try no others in their stead.

        Where code was left out, others would again bring more of it to light, which nothing that
        was changed is to blame for.
        """
        for repair in repairs:
            key = self._version.key(repair.finding)
            self._failures[key] = len(self._repairs.of(repair.finding))
            self._held.add(key)

    def _leave_out(self, chosen: Sequence[Repair], signs: Sequence[Sign]) -> None:
        """Leave out of the next trial what causes what is wrong.

        What causes it is undone. If it is wrong without that as well, or no fix causes it alone,
        the later half of those that may be to blame is held back, until the others have stayed.
        """
        culprits = self._culprits(chosen, [s for s in signs if s.key not in self._blamed])
        out = set(culprits.values())
        for sign in signs:
            for key in self._blamed.pop(sign.key, ()):
                self._failures[key] -= 1
            if out.isdisjoint(sign.suspects):  # else the next trial will tell
                suspects = sorted(sign.suspects)
                later = suspects[len(suspects) // 2 :]
                out.update(later)
                self._held.update(self._version.key(chosen[number].finding) for number in later)
        for number in set(culprits.values()):
            self._withdraw([chosen[number]])
        for key, number in culprits.items():
            self._blamed[key] = [self._version.key(chosen[number].finding)]

    def _culprits(self, chosen: Sequence[Repair], signs: Sequence[Sign]) -> dict[Key, int]:
        """Find out which fix causes what is wrong: for everything at once, by trials of some.

        The suspects are numbered. If something is wrong after those fixes whose number has a
        certain bit, the number of its cause has that bit. Nothing, once there was too much to try.
        """
        numbers = numbered(sign.suspects for sign in signs)
        seen = {sign.key: 0 for sign in signs}
        for bit in range(max(numbers.values(), default=0).bit_length()):
            if self._searched > _MOST_SEARCHED or self._spent > self._most:
                return {}
            some = [chosen[index] for index, number in numbers.items() if number >> bit & 1]
            for sign in self._tried(some)[1]:
                if sign.key in seen:
                    seen[sign.key] |= 1 << bit
        return {
            sign.key: index
            for sign in signs
            for index in sign.suspects
            if numbers[index] == seen[sign.key]
        }

    def _keep(self, trial: Trial, chosen: Iterable[Repair]) -> None:
        numbers = {key: number for number, key in enumerate(self._keys_now)}
        for repair in chosen:
            number = numbers.get(self._version.key(repair.finding))
            if number is not None:
                self._attempts[number] = repair.attempt
        self._keys_now = [trial.moved(key) for key in self._keys_now]
        self._spared = frozenset(map(trial.moved, self._spared))
        self._failures = {trial.moved(key): n for key, n in self._failures.items()}
        self._fixed += trial.fixed
        self._version = trial.version
        self._repairs = Repairs(trial.version, self._unsafe)
        self._release()

    def _mends(self) -> tuple[Fix | None, ...]:
        """Return the fix of each finding that was there at first and is gone."""
        left = {self._version.key(finding) for finding in self._version.findings}
        mends: list[Fix | None] = []
        for number, finding in enumerate(self._start.findings):
            fixes = [] if self._keys_now[number] in left else finding.fixes_for(self._unsafe)
            mends.append(next(islice(fixes, self._attempts.get(number, 0), None), None))
        return tuple(mends)
