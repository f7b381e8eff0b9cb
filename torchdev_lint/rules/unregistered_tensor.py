"""TDL006: a tensor that a module keeps as a plain attribute meets tensors on the accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.change import Fix
from torchdev_lint.config.kinds import FLAG
from torchdev_lint.config.options import Option
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.asked_devices import asked_where_used
from torchdev_lint.fixes.buffers import assignment_of, registered
from torchdev_lint.fixes.new_tensors import made_where_named
from torchdev_lint.placement.domain.origins import Holder, OriginKind, Site
from torchdev_lint.placement.facts.events import TypedForHost
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import (
    assumed_in,
    made_elsewhere,
    meets,
    related_places,
)
from torchdev_lint.rules.holding import is_set_around, left_behind, made_around
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class UnregisteredTensor(Rule):
    """`self.scale = torch.ones(4)` in `__init__`, and `x * self.scale` in `forward`."""

    code = "TDL006"
    name = "unregistered-tensor"
    summary = "A module keeps a tensor as a plain attribute, which `model.to()` leaves on the CPU."
    reason = """\
`model.to(device)` moves parameters, buffers and submodules. A tensor that `__init__` assigns to a
plain attribute, or puts into a list or dict, is none of these: it stays on the CPU. The first
operation of `forward` that combines it with a parameter or an input raises
`RuntimeError: Expected all tensors to be on the same device`.

`self.register_buffer("name", tensor, persistent=False)` makes it a buffer, which is moved with the
module. It is not saved, so that state dicts that exist can still be loaded. `model.half()` and the
like cast a buffer, too.

A state that one other method makes, `reset` or `begin`, stays where that makes it as well, whether
it is called before the module is moved or after that: `device=self.weight.device` makes it where
the module is.

So does a device: `self.device = next(self.parameters()).device` in `__init__` is the CPU, and stays
that. What is made there later, or moved there, meets parameters that have been moved since. Ask
where it is needed, `device=x.device`.

What a base class of another file keeps is reported where the class at hand uses it; it is to be
registered there. Attributes whose names are made up, `setattr(self, f"mask_{i}", mask)`, go by what
these have in common: `self.mask_*`.

Nothing is reported of an attribute that several methods besides `__init__` and `forward`, or other
code assign, nor of one that one such method does, if some method asks whether it is there; of one
that sometimes holds something else (a parameter is taken along, and what the module was built with
is wherever that is: neither is a matter where no method asks which of the two it is before it reads
it); of a list or dict that some code may change or is handed; of a class that has
a `to`, `cuda` or `_apply` of its own; of a class without a `forward`, unless the project moves it,
or what it is a part of, to an accelerator; nor of a tensor with no dimensions where PyTorch takes
it beside tensors on the accelerator, as arithmetic does. Objects that are no modules are not looked
at: nobody says how they are moved.
Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
"""
    bad = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.scale = torch.full((4,), 0.5)

    def forward(self, x):
        return self.linear(x) * self.scale
"""
    good = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("scale", torch.full((4,), 0.5), persistent=False)

    def forward(self, x):
        return self.linear(x) * self.scale
"""
    fix_safety = """\
The tensor becomes a buffer that isn't saved (`persistent=False`), so that state dicts that exist
fit as before. That is safe where the attribute is certainly a tensor, is assigned once,
`super().__init__()` has run before, and nothing in the file goes through buffers or converts
modules (`.half()`), which would convert the buffer as well; else it is unsafe, as it is for
attributes whose names are made up. A device that a module has asked for while it was built is
asked for where it is read: that is unsafe, since others may have set the attribute.
"""

    options = (
        Option(
            FLAG,
            "Whether the buffers that fixes register are saved: state dicts that exist lack them, "
            "so that such fixes are unsafe.",
            "`false`",
            "true",
            "persistent",
        ),
    )
    triggers = frozenset({Trigger.FACTORY, Trigger.ATTRIBUTE})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each attribute in which a module keeps what isn't moved with it."""
        done = set[Holder | Site]()
        for meeting in facts.unexcused():
            holder = left_behind(facts, meeting)
            if holder is None or facts.find(TypedForHost, meeting.origin.identity) is not None:
                continue  # a buffer would be brought to the CPU just as well
            kept = made_around(meeting.origin) or holder
            if kept not in done and (holder.called or _assumed(meeting, holder)):
                done.add(kept)
                yield self._finding(facts, meeting, holder)

    def _fix(self, facts: Facts, meeting: Meeting, holder: Holder) -> Fix | None:
        if meeting.origin.kind is OriginKind.ASKED:
            return asked_where_used(facts, holder, meeting.origin)
        if is_set_around(meeting.origin):
            return None if holder.inside else made_where_named(facts, meeting.origin)
        return registered(facts, holder, self._is_saved())

    def _is_saved(self) -> bool:
        return self.told("persistent", otherwise=False) is True

    def _finding(self, facts: Facts, meeting: Meeting, holder: Holder) -> Finding:
        origin = meeting.origin
        event, there = meets(facts, meeting)
        is_asked = origin.kind is OriginKind.ASKED
        assigned = facts.syntax.statement(origin.node) if is_asked else assignment_of(facts, holder)
        place = assigned or origin.node
        kept = short(origin.node) if is_set_around(origin) else f"self.{holder.attribute}"
        message = f"`{kept}`, left on the CPU by `model.to()`, {event}"
        if is_asked:
            message = f"`{kept}` stays the CPU: what is put there {event}"
        made = Related("made on the CPU here", facts.span(origin.node))
        is_apart = place not in {origin.node, facts.syntax.statement(origin.node)}
        return Finding(
            self.code,
            self.name,
            message,
            facts.span(place),
            (
                *related_places(facts, there, meeting),
                *([made] if is_apart else []),
                *made_elsewhere(origin),
            ),
            origin.scope,
            self._fix(facts, meeting, holder) if facts.fixable else None,
            assumes=_assumed(meeting, holder),
            if_shown=not holder.called,
        )


def _assumed(meeting: Meeting, holder: Holder) -> str:
    """The class or function that is only assumed to work on an accelerator, if any.

    A class that only has methods and parts for others is there with any of those that have it.
    """
    assumed = assumed_in(meeting)
    if (
        assumed
        and not holder.called
        and holder.cls is not None
        and not is_set_around(meeting.origin)
    ):
        return holder.cls.name
    return assumed
