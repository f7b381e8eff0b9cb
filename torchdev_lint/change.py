"""What a fix changes, in terms of places in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from torchdev_lint.records import dataclass, replace

if TYPE_CHECKING:
    from torchdev_lint.source.span import Span

Applicability = Literal["safe", "unsafe"]


class CannotEdit(Exception):
    """The text around a place is not what a change needs."""


@dataclass(frozen=True, slots=True)
class Insert:
    """Insert a text before a place.

    Args:
        line: the line, counted from 1.
        column: the character, counted from 0.
    """

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace a stretch of text."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class AddArgument:
    """Give a call one more argument, in the call's own formatting.

    Args:
        call: where the call is.
        text: the argument, such as `device=x.device`.
    """

    call: Span
    text: str


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """Put a statement on a line of its own before or after another one, indented like it.

    Args:
        anchor: where the other statement is.
        text: the new statement; lines after its first one bring their indentation along.
        after: whether to put it after the other one, and not before.
        under: a line to put above it, such as `if use_cuda:`, which indents it.
    """

    anchor: Span
    text: str
    after: bool = False
    under: str = ""


@dataclass(frozen=True, slots=True)
class DeleteStatement:
    """Remove a statement that has its lines for itself; a comment behind it stays."""

    span: Span


Change: TypeAlias = "Insert | Replace | AddArgument | InsertStatement | DeleteStatement"


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to mend one finding.

    Args:
        message: what it does, as an order: "Add `device=x.device`".
        applicability: `safe` if the program does what it was meant to do afterwards; `unsafe`
            if it may also behave differently in other ways.
        changes: what to change.
        otherwise: what to try if this one turns out to break something else.
    """

    message: str
    applicability: Applicability
    changes: tuple[Change, ...]
    otherwise: Fix | None = None


def in_turn(*fixes: Fix | None) -> Fix | None:
    """Return fixes as one to be tried after the other, the safe ones first."""
    every: list[Fix] = []
    for fix in fixes:
        while fix is not None:
            every.append(fix)
            fix = fix.otherwise
    chain: Fix | None = None
    every.sort(key=lambda fix: fix.applicability != "safe")
    for fix in reversed(every):
        chain = replace(fix, otherwise=chain)
    return chain


def trusted(fix: Fix) -> Fix:
    """Return a fix, and all that are to be tried instead, as safe ones."""
    otherwise = None if fix.otherwise is None else trusted(fix.otherwise)
    return replace(fix, applicability="safe", otherwise=otherwise)


@dataclass(frozen=True, slots=True)
class Stated:
    """An expression that a fix may write.

    Args:
        proven: whether it certainly gives what is meant where it is written.
    """

    text: str
    proven: bool

    @property
    def applicability(self) -> Applicability:
        """How far a fix can be trusted that writes it."""
        return applicability(self.proven)


def applicability(proven: bool) -> Applicability:
    """Return how far a fix can be trusted."""
    return "safe" if proven else "unsafe"
