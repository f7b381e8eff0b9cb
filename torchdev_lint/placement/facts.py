"""What the placement analysis found out about a file: all that rules may ask."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torchdev_lint.finding import Span
from torchdev_lint.placement.values import Bundle, Instance, Origin, Tensor


@dataclass(frozen=True, slots=True)
class Meeting:
    """A host value and an accelerator value in one operation, which fails.

    Args:
        operation: what the code calls it: a function's name, an operator, a module's name.
        node: the operation's expression.
        host: the value on the host.
        origin: where the host value comes from.
        host_node: the expression of the host operand at the operation.
        partner_text: how to call the value on the accelerator.
        partner_node: its expression.
        module_call: whether the operation is the call of a module that lives on the accelerator.
        scope: dotted name of the function in which they meet.
    """

    operation: str
    node: ast.AST
    host: Tensor | Bundle | Instance
    origin: Origin
    host_node: ast.AST
    partner_text: str
    partner_node: ast.AST
    module_call: bool
    scope: str


@dataclass(frozen=True, slots=True)
class Discard:
    """A move or cast of a tensor whose result is thrown away."""

    node: ast.expr
    target: ast.expr
    method: str
    scope: str


@dataclass(slots=True)
class Facts:
    """The facts about one file.

    Args:
        span: turns a syntax node into its place in the text.
        meetings: in the order in which they happen, the first one for each origin.
        discards: thrown away moves, in the order in which they are met.
    """

    span: Callable[[ast.AST], Span]
    meetings: dict[object, Meeting] = field(default_factory=dict)
    discards: dict[ast.AST, Discard] = field(default_factory=dict)
    not_tensors: set[ast.AST] = field(default_factory=set)
    excused: set[object] = field(default_factory=set)

    def meet(self, meeting: Meeting) -> None:
        """Record a meeting, unless its origin has met something already."""
        whole = meeting.origin.whole
        while whole is not None:
            if whole.identity in self.meetings:
                return
            whole = whole.whole
        self.meetings.setdefault(meeting.origin.identity, meeting)

    def excuse(self, origin: Origin) -> None:
        """Note that the move of a value was thrown away: that is its one defect.

        A part that was looped over or looked up stands for the value that holds it.
        """
        part: Origin | None = origin
        while part is not None:
            self.excused.add(part.identity)
            key = part.key[1] if isinstance(part.key, tuple) else None
            part = part.whole if isinstance(key, str) else None

    def unexcused(self) -> Iterator[Meeting]:
        """Yield the meetings that are defects of their own."""
        for meeting in self.meetings.values():
            part: Origin | None = meeting.origin
            while part is not None and part.identity not in self.excused:
                part = part.whole
            if part is None:
                yield meeting
