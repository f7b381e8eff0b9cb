"""Meetings: what is on the host where something on an accelerator is needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind, Site
from torchdev_lint.placement.domain.values import Bundle, Tensor
from torchdev_lint.placement.facts.events import Event
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Meeting(Event):
    """A host value and an accelerator value in one operation, which fails.

    Args:
        operation: what the code calls it: a function's name, an operator, a module's name.
        node: the operation's expression.
        host: the value on the host; None for a layer that is applied.
        origin: where the host value comes from.
        host_node: the expression of the host operand at the operation.
        partner_text: how to call the value on the accelerator.
        partner_node: its expression.
        module_call: whether the operation is the call of a module that lives on the accelerator.
        scope: dotted name of the function in which they meet.
        in_forward: whether that is a module's, which is taken to be on the accelerator.
        elsewhere: where they meet, if that is in another file: then `node` is what leads there.
        at_model: whether that is the call of a module, in the depths of whose code they meet.
        given: the entry point where whose arguments live the other value is; None if it is on
            the accelerator.
        within: whether the expression of the host operand gives a distribution, whose parameter the
            host value is.
        perhaps: whether only some paths have moved a module to the CPU that is applied.
        read_out: whether it is a parameter, or what is computed of one, that other code than the
            module's has read of it.
        shown: the call in another file that shows that the other value is on the accelerator.
    """

    operation: str
    node: ast.AST
    host: Tensor | Bundle | None
    origin: Origin
    host_node: ast.AST
    partner_text: str
    partner_node: ast.AST
    module_call: bool
    scope: str
    in_forward: bool = False
    elsewhere: Site | None = None
    at_model: bool = False
    given: ast.AST | None = None
    within: bool = False
    perhaps: bool = False
    read_out: bool = False
    shown: Site | None = None

    def is_about(self, file: File, at_hand: File) -> bool:
        """It is mended where the host value is made, or brought in."""
        return self.origin.file is file

    @property
    def is_of_model(self) -> bool:
        """Whether it happens in a model's `forward`, or where a model is called."""
        origin = self.origin
        held = origin.holder is not None and origin.holder.leaves_behind
        return (origin.in_forward or self.module_call or held) and self.given is None

    @property
    def is_of_input(self) -> bool:
        """Whether a model is called with what its own file makes, outside of `forward`."""
        origin = self.origin
        made_here = origin.made.kind is OriginKind.FACTORY and origin.made.file is origin.file
        return made_here and self.module_call and not origin.in_forward

    @property
    def key(self) -> object:
        """One origin is one defect, whatever it meets."""
        return self.origin.identity

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """A layer that is built in every call is a defect also where its failure is caught."""
        if self.origin.kind is OriginKind.LAYER:
            return frozenset({Mood.DOUBT, Mood.EXPECTED})
        return frozenset(Mood)

    @property
    def implied_by(self) -> Iterator[object]:
        """What holds it has met something already."""
        whole = self.origin.whole
        while whole is not None:
            yield whole.identity
            whole = whole.whole

    def after(self, earlier: Event) -> Event:
        """Return the earlier one, unless it is one of arguments that are not known.

        That gives way to what meets an accelerator for certain, since more is told of that: it
        counts also for what an object keeps. Of a module, it says more that it is built for what
        is given.
        """
        assert isinstance(earlier, Meeting)
        is_of_model = self.is_of_model and not earlier.is_of_model
        says_more = self.given is None and earlier.given is not None
        if self.origin.kind is OriginKind.MODULE:
            says_more = self.given is not None
        return self if says_more or is_of_model else earlier
