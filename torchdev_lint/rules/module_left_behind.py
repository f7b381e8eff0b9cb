"""TDL012: a module that was built on the host, and never moved, is applied on the accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.change import Fix
from torchdev_lint.finding import Finding
from torchdev_lint.fixes.modules import moved_to_what_it_meets, moved_where_built
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.building import builds_for_given
from torchdev_lint.rules.describe import assumed_in, place_of, related_places
from torchdev_lint.rules.wording import spare
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class ModuleLeftBehind(Rule):
    """`criterion = nn.CrossEntropyLoss(weight=w)`, and `criterion(model(x), y)` on a device."""

    code = "TDL012"
    name = "module-left-behind"
    summary = "A module with parameters or buffers is applied on a device, and was never moved."
    reason = """\
A model, a loss with a weight, a metric that counts or a transform with a filter bank is a module:
its parameters and buffers are on the CPU until it is moved, whatever else has been. Applied to a
tensor on the accelerator it raises `RuntimeError: Expected all tensors to be on the same device`.
So does a layer that is added to a model after the model was moved, also by an `__init__` that calls
`self.to(device)` before its last line. So does code that computes with its parameters, as for an
average of two models' weights, `e.mul_(0.99).add_(p, alpha=0.01)`. A loss without a weight has
nothing to move, nor has one whose weight is on the device already.

Of a module that a function of another file builds, the call of that function is told.

The fix moves the module where it is built, as the others are. `Module.to` moves in place, with all
that is registered in the module.

Nothing is reported that is moved on some way to where it is applied, or may be: what is handed to
code out of sight (`accelerator.prepare`, `deepspeed.initialize`, a trainer), what a module keeps
that moves with it, what an attribute or a variable of the file holds that other functions do more
with than call it, and what is built where a default device may be set. Modules that `forward`
builds are TDL003, those in a plain list of a module TDL007, tensors that a module keeps TDL006.
In the first reading, of scripts in 328 repositories, two of four findings were right, in the
second, of 260 others, 12 of 17, when it was off by default. What was false there is silent now. In
the third, of 254 repositories and 52 packages, there were two, and both fail as said.
Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0]))
x = torch.randn(8, 4, device=device)
y = torch.zeros(8, dtype=torch.long, device=device)
print(criterion(model(x), y))
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0])).to(device)
x = torch.randn(8, 4, device=device)
y = torch.zeros(8, dtype=torch.long, device=device)
print(criterion(model(x), y))
"""

    fix_safety = """\
The fix moves the module where it is built, as others are moved. It is safe where what it is moved
to is proven to be a device there, and what is built a module whose `to` is `torch.nn.Module`'s.
"""

    triggers = frozenset({Trigger.LAYER, Trigger.LOSS, Trigger.PRETRAINED})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each module that is left on the host, and applied elsewhere."""
        for meeting in facts.unexcused():
            is_module = meeting.origin.kind is OriginKind.MODULE
            if is_module and meeting.given is None and not builds_for_given(facts, meeting):
                yield self._finding(facts, meeting)

    def _finding(self, facts: Facts, meeting: Meeting) -> Finding:
        origin = meeting.origin
        event, there = _applied(facts, meeting)
        return Finding(
            self.code,
            self.name,
            f"`{origin.label}` builds a module on the CPU; it is never moved, and {event}",
            facts.span(origin.node),
            related_places(facts, there, meeting),
            origin.scope,
            fix=_fix(facts, meeting) if facts.fixable else None,
            assumes=assumed_in(meeting),
        )


def _applied(facts: Facts, meeting: Meeting) -> tuple[str, str]:
    """Return what happens to it: as a message says it, and as the place itself does.

    A part of it may have been moved alone, and get what others hold or compute. What it is made of
    may be read by others, as for an average of two models.
    """
    is_part = meeting.operation == meeting.partner_text
    event = f"{'meets its' if is_part else 'applied to'} `{meeting.partner_text}`"
    if meeting.read_out:
        event = f"`{short(meeting.host_node)}` of it meets `{meeting.partner_text}`"
    side = spare("(on the accelerator) ")
    return f"{event} {side}{place_of(facts, meeting)}", f"{event} here"


def _fix(facts: Facts, meeting: Meeting) -> Fix | None:
    """Move it as other modules are moved, else to what it is applied to."""
    return moved_where_built(facts, meeting.origin) or moved_to_what_it_meets(facts, meeting)
