"""What the linter says: findings, where they are, and what it has not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from torchdev_lint.records import dataclass

if TYPE_CHECKING:
    from torchdev_lint.change import Fix
    from torchdev_lint.source.span import Span


@dataclass(frozen=True, slots=True)
class Related:
    """A second location a finding talks about, such as the meeting of two devices.

    Args:
        path: the file it is in, absolute, if that is another one.
    """

    message: str
    span: Span
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect.

    Args:
        code: the rule's code, such as `TDL002`.
        name: the rule's name, such as `host-tensor-in-forward`.
        message: what is wrong, naming the objects involved.
        span: the primary location; what `noqa` and editors refer to.
        related: other locations, in the order in which they help to understand.
        scope: dotted name of the enclosing function or class, empty at module level.
        fix: how to mend it.
        unsafe_fix: a better way, to be preferred to `fix` where unsafe fixes are allowed.
        assumes: the class or function at the top of the file of which it is only assumed that it
            works with what is on an accelerator; empty where the file says so.
        if_shown: whether it is a finding only where the project shows what is assumed.
        given: whether that is for its callers to say, who may have nothing but what is on the host.
        severity: `warning` where nothing in the project shows what is assumed.
    """

    code: str
    name: str
    message: str
    span: Span
    related: tuple[Related, ...] = ()
    scope: str = ""
    fix: Fix | None = None
    unsafe_fix: Fix | None = None
    assumes: str = ""
    if_shown: bool = False
    given: bool = False
    severity: Literal["error", "warning"] = "error"

    def fix_for(self, unsafe: bool) -> Fix | None:
        """Return the fix to apply, None if there is none.

        Args:
            unsafe: whether unsafe ones are allowed.
        """
        if unsafe:
            return self.unsafe_fix or self.fix
        return self.fix if self.fix is not None and self.fix.applicability == "safe" else None

    def fixes_for(self, unsafe: bool) -> Iterator[Fix]:
        """Yield the fix to apply, and those to try instead if it breaks something.

        Args:
            unsafe: whether unsafe ones are allowed.
        """
        fix = self.fix_for(unsafe)
        while fix is not None:
            if unsafe or fix.applicability == "safe":
                yield fix
            fix = fix.otherwise


@dataclass(frozen=True, slots=True)
class Revealed:
    """What is known of a value that code asks about: a note, and nothing wrong with it.

    Args:
        span: the value's expression.
        scope: dotted name of the enclosing function or class, empty at module level.
        text: how it is written.
        words: what it is, and where it lives.
    """

    span: Span
    scope: str
    text: str
    words: str
    kind: ClassVar[str] = "revealed"

    @property
    def message(self) -> str:
        """The whole as a sentence without its place."""
        return f"revealed: `{self.text}` is {self.words}"


@dataclass(frozen=True, slots=True)
class Skip:
    """Code that was not looked at to its end, so that silence about it says nothing.

    Args:
        span: where it is.
        scope: dotted name of the function or method, empty for a statement of the module.
        reason: why not.
    """

    span: Span
    scope: str
    reason: str
    kind: ClassVar[str] = "skipped"

    @property
    def message(self) -> str:
        """The whole as a sentence without its place."""
        what = f"`{self.scope}`" if self.scope else "this statement"
        return f"{what} was not looked at to its end: {self.reason}"


Note: TypeAlias = "Revealed | Skip"
"""What is said of code without being a defect: the exit code doesn't depend on it."""
