"""TDL015: a tensor that is made once, at import, meets tensors on the accelerator."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from torchdev_lint.finding import Finding
from torchdev_lint.fixes.constants import moved_constant
from torchdev_lint.fixes.inputs import moved_input
from torchdev_lint.fixes.styles import device_of
from torchdev_lint.placement.domain.origins import Keeping
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.records import replace
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.callers import Callers
from torchdev_lint.rules.describe import (
    assumed_in,
    made_where,
    meeting_finding,
    meets,
    related_places,
)
from torchdev_lint.syntax.names import short
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.top_level import is_script
from torchdev_lint.triage.triggers import Trigger


class SharedConstantTensor(Rule):
    """`MEAN = torch.tensor(...)` at module level, and `x - MEAN` in `forward`."""

    code = "TDL015"
    name = "shared-constant-tensor"
    summary = "A tensor made once, at import, meets tensors on the accelerator."
    reason = """\
What a file makes when it is imported, for a variable of the module, in the body of a class or as
the default of a parameter, is made once, on the CPU, for all that use it. No model takes it along
when it is moved, so the first operation that combines it with a parameter or an input raises
`RuntimeError: Expected all tensors to be on the same device`.

The finding is where a function reads the tensor, since that is the place to move it:
`MEAN.to(x.device)`. Each reading that meets the accelerator has a finding of its own, as each has
to be changed. Where a script makes the tensor and uses it outside of functions, or has chosen its
device before, the finding is where it is made, since that mends all readings. A tensor of another
file is reported where the file at hand reads it.

Functions that nobody in sight calls are taken to be called with tensors on the accelerator, as
those of TDL016 are, except in scripts: they call their functions themselves.

Nothing is reported of a variable to which some code of the project may give another value, nor of a
list or dict that some code may change; nor of a tensor with no dimensions where PyTorch takes it
beside tensors on the accelerator, as arithmetic does. What a model is called with is TDL005's.
Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""
    bad = """\
import torch
from torch import nn

MEAN = torch.tensor([0.5, 0.4, 0.3, 0.2])


class Standardized(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x - MEAN)
"""
    good = """\
import torch
from torch import nn

MEAN = torch.tensor([0.5, 0.4, 0.3, 0.2])


class Standardized(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x - MEAN.to(x.device))
"""
    fix_safety = """\
The constant is moved where it is read, or made on the device that the file has chosen before.
That is safe where the device is certainly one and the constant certainly a tensor that nothing
changes in place; else it is unsafe.
"""

    triggers = frozenset({Trigger.FACTORY})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each constant, or for each reading of one, to be changed."""
        kept = (m for m in facts.unexcused() if m.origin.keeper is not None)
        meetings = [m for m in kept if m.given is None or _may_be_given_others(facts, m.given)]
        done = {m.origin.made.identity for m in meetings if m.is_of_input}
        made_elsewhere = {m.origin.made.identity for m in meetings if _is_to_be_made_on(facts, m)}
        for meeting in meetings:
            made = meeting.origin.made
            if made.identity in done:
                continue
            if made.identity in made_elsewhere:
                done.add(made.identity)
                meeting = replace(meeting, origin=made)
                finding, fix = meeting_finding(self, facts, meeting, made.node), moved_input
            else:
                finding, fix = self._reported_at_reading(facts, meeting), moved_constant
            yield replace(finding, fix=fix(facts, meeting) if facts.fixable else None)

    def _reported_at_reading(self, facts: Facts, meeting: Meeting) -> Finding:
        origin = meeting.origin
        made = made_where(facts, origin)
        if made.path:
            where = f"{os.path.basename(made.path)}:{made.span.line}"
        else:
            where = f"line {facts.line_of(origin.made.node)}"
        event, there = meets(facts, meeting)
        message = f"`{short(origin.node)}`, on the CPU since import ({where}), {event}"
        related = (*related_places(facts, there, meeting), made)
        return Finding(
            self.code,
            self.name,
            message,
            facts.span(origin.node),
            related,
            origin.scope,
            assumes=assumed_in(meeting),
        )


def _is_to_be_made_on(facts: Facts, meeting: Meeting) -> bool:
    """Whether a tensor is to be made on another device, which mends all that read it.

    Code that is run at import uses it there, or the file has chosen its device before.
    """
    made, keeper = meeting.origin.made, meeting.origin.keeper
    if made is meeting.origin:
        return True
    if keeper is None or keeper.kind is not Keeping.MODULE or made.scope:
        return False
    if made.file is not meeting.origin.file:
        return False
    device = device_of(facts, None, made.node)
    return device is not None and device.proven


def _is_script(syntax: Syntax) -> bool:
    return is_script(syntax.tree)


def _may_be_given_others(facts: Facts, function: ast.AST) -> bool:
    """Whether a function may be given what is on an accelerator, though nothing in sight is.

    A script that never leaves the CPU has both its constants and what it calls its functions with
    there.
    """
    return not facts.derived(_is_script) and facts.concluded(Callers).may_bring_device(function)
