"""TDL005: a model on the accelerator is called with a tensor made on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.change import Fix
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.inputs import moved_input
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.records import replace
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import assumed_in, maker, meeting_finding
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger

_KINDS = frozenset({OriginKind.ENCODING, OriginKind.LOADED, OriginKind.CHECKPOINT})


class InputNeverMoved(Rule):
    """`model.to(device); model(torch.randn(...))`."""

    code = "TDL005"
    name = "input-never-moved"
    summary = "A model that was moved to a device is called with a tensor that is still on the CPU."
    reason = """\
Moving a model does not move what it is called with. An input that was made on the CPU has to
be moved, or made on the device, before the model sees it, or the first layer raises
`RuntimeError: Expected all tensors to be on the same device`. What is read from a file, or comes
from a tokenizer, is reported wherever it meets the accelerator.

Nothing is reported that is moved on some way to the model, nor what a model is called with whose
class is not in sight, as it may move its input itself (models of well-known libraries don't).
Source: https://docs.pytorch.org/docs/stable/notes/cuda.html
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.randn(1, 4)
print(model(x))
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.randn(1, 4, device=device)
print(model(x))
"""
    fix_safety = """\
The input is made on the model's device, else moved before its first use. That is safe where it is
certainly a tensor, the device is certainly one, and nothing needs the input on the CPU as well;
else it is unsafe.
"""

    triggers = frozenset({Trigger.FACTORY, Trigger.READER, Trigger.PRETRAINED})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each host value that a model on the accelerator is called with."""
        inputs = set[object]()
        for meeting in facts.unexcused():
            origin = meeting.origin.made
            if not (meeting.is_of_input or origin.kind in _KINDS) or origin.identity in inputs:
                continue
            if meeting.is_of_input and meeting.given is not None:
                continue  # TDL016, which asks whether callers may give a model that was moved
            if origin.holder is not None and not (origin.holder.stays or origin.holder.followed):
                continue  # TDL006, unless some code may set it anew
            inputs.add(origin.identity)
            meeting = replace(meeting, origin=origin)  # whichever function reads it
            if meeting.module_call and not _is_made_nearby(meeting):
                finding = self._reported_at_call(facts, meeting)
            else:
                finding = meeting_finding(self, facts, meeting, origin.node)
            yield replace(finding, fix=self.fix(facts, meeting) if facts.fixable else None)

    def _reported_at_call(self, facts: Facts, meeting: Meeting) -> Finding:
        made, made_by = meeting.origin.node, maker(meeting.origin)
        return Finding(
            self.code,
            self.name,
            f"`{short(meeting.host_node)}`, made on the CPU by {made_by} "
            f"(line {facts.line_of(made)}), is passed unmoved to "
            f"`{meeting.partner_text}` (on the accelerator)",
            facts.span(meeting.host_node),
            (Related(f"made on the CPU by {made_by} here", facts.span(made)),),
            meeting.scope,
            assumes=assumed_in(meeting),
        )

    def fix(self, facts: Facts, meeting: Meeting) -> Fix | None:
        """Make the input on the model's device, else move it before it is used."""
        return moved_input(facts, meeting)


def _is_made_nearby(meeting: Meeting) -> bool:
    """Whether the function that calls the model makes the input: then that is what to change."""
    origin = meeting.origin
    return origin.whole is None and origin.scope == meeting.scope
