"""What is asked of files, and what comes out of each."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from torchdev_lint.config.settings import Settings
from torchdev_lint.records import dataclass, replace
from torchdev_lint.sifting.sieve import NO_SIEVE, Sieve, Sifted
from torchdev_lint.source.cells import Cells
from torchdev_lint.source.discovery import Target
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import SourceError

if TYPE_CHECKING:
    from torchdev_lint.change import Replace
    from torchdev_lint.finding import Finding, Note, Revealed, Skip
    from torchdev_lint.sifting.baseline import Held


@dataclass(frozen=True, slots=True)
class Task:
    """A file to lint.

    Args:
        target: the file.
        settings: what holds for it.
    """

    target: Target
    settings: Settings


@dataclass(frozen=True, slots=True)
class Fixing:
    """How to fix.

    Args:
        unsafe: whether to apply unsafe fixes too.
        write: whether to change files; otherwise only the difference is made.
        told: whether the process that changed a file is to live until its report was handed over,
            so that whoever interrupts the run learns what was changed.
        sieve: which findings are left as they are, and not reported.
    """

    unsafe: bool = False
    write: bool = True
    told: bool = False
    sieve: Sieve = NO_SIEVE


@dataclass(frozen=True, slots=True)
class Repairs:
    """What fixing did to a file.

    Args:
        left: how many findings are left in it.
        fixed: the findings that are gone.
        withdrawn: findings whose fix was undone.
        diff: the difference, if nothing was to be written.
        failure: why the file could not be written; nothing was fixed then.
        output: the result, if it came from standard input.
        sifted: which of the findings there were before were left aside.
    """

    left: int
    fixed: tuple[Finding, ...] = ()
    withdrawn: tuple[Finding, ...] = ()
    diff: bytes = b""
    failure: str = ""
    output: bytes | None = None
    sifted: Sifted = field(default_factory=Sifted)


@dataclass(frozen=True, slots=True)
class FileReport:
    """What came out of one file.

    Args:
        path: the path as it is shown to the user.
        findings: what was found, by position, less what comments silence.
        lines: the text of the lines that the findings talk about, by number.
        problem: why the file could not be linted, or not be written.
        edits: for each finding what its fix replaces, if that was asked for.
        repairs: what was done to it, if it was to be fixed.
        skipped: what was not looked at to its end, if that was asked for.
        warnings: what else the user should know of.
        revealed: what is known of values that the code asks about.
        held: what was left aside since a baseline holds it.
        cells: of a notebook where its cells are.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    lines: dict[int, str] = field(default_factory=dict)
    problem: Problem | None = None
    edits: tuple[tuple[Replace, ...] | None, ...] = ()
    repairs: Repairs | None = None
    skipped: tuple[Skip, ...] = ()
    warnings: tuple[Problem, ...] = ()
    revealed: tuple[Revealed, ...] = ()
    held: tuple[Held, ...] = ()
    cells: Cells = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is said of the file beside the findings."""
        return (*self.revealed, *self.skipped)

    def wanted(self, work: Work) -> FileReport:
        """Return the report without what nobody has asked for."""
        edits, skipped = self.edits if work.edits else (), self.skipped if work.skipped else ()
        return replace(self, edits=edits, skipped=skipped)

    def sifted(self, sieve: Sieve) -> FileReport:
        """Return the report without what is left aside of what was found."""
        found = sieve.sifted(self.path, self.findings, self.lines, self.cells)
        kept = [n for n in range(len(self.findings)) if n not in found.aside]
        return replace(
            self,
            findings=tuple(self.findings[number] for number in kept),
            edits=tuple(self.edits[number] for number in kept) if self.edits else (),
            held=found.held,
        )


@dataclass(frozen=True, slots=True)
class Work:
    """What to do with each file.

    Args:
        fixing: how to fix it; None: only lint it.
        edits: whether reports say what the fixes would replace.
        unsafe: whether unsafe fixes are offered, or applied, as well.
        skipped: whether reports say what was not looked at to its end.
    """

    fixing: Fixing | None = None
    edits: bool = False
    unsafe: bool = False
    skipped: bool = False

    def with_all(self) -> Work:
        """Return the same, with reports that say all they can."""
        return replace(self, edits=True, skipped=True)


ONLY_LINT = Work()


@dataclass(frozen=True, slots=True)
class StandardInput:
    """What to lint where the user wrote `-`.

    Args:
        data: the bytes that were read.
        name: the path to show.
        failure: why they could not be read.
    """

    data: bytes
    name: str
    failure: str = ""

    def read(self) -> bytes:
        """Return the bytes.

        Raises:
            SourceError: they could not be read.
        """
        if self.failure:
            raise SourceError(self.failure)
        return self.data
