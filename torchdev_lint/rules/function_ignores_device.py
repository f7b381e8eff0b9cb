"""TDL016: a function mixes what it is given with what it makes on the host."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.finding import Finding
from torchdev_lint.fixes.modules import moved_to_what_it_meets
from torchdev_lint.fixes.new_tensors import made_or_moved
from torchdev_lint.placement.domain.origins import OriginKind, Site
from torchdev_lint.placement.evidence.moved_on import is_moved_at_once
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.records import replace
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.building import builds_for_given
from torchdev_lint.rules.callers import Callers
from torchdev_lint.rules.describe import (
    assumed_in,
    meeting_finding,
    place_of,
    related_places,
    side,
)
from torchdev_lint.rules.holding import is_kept_for_good, made_around
from torchdev_lint.rules.returns import mixed_returns
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.triage.triggers import Trigger


class FunctionIgnoresDevice(Rule):
    """`def mask(x): return x * torch.ones(4)`."""

    code = "TDL016"
    name = "function-ignores-device"
    summary = "A function makes a tensor or module on the CPU and mixes it with what it is given."
    reason = """\
A function or method that is given a tensor can't know where it lives. What it makes with a factory
such as `torch.ones` without `device=` is on the CPU, and meets that tensor only as long as that
is there as well: with one on an accelerator, the call raises
`RuntimeError: Expected all tensors to be on the same device`. The same goes for a factory that is
not told the device which the function takes, or its object keeps, beside one that is. A function
that returns what it makes on one path, and on another a tensor that lives where its arguments do,
is reported as well: what its callers do with the result fails on one of them. So is a function that
builds a module with parameters or buffers, and applies it to what it is given, or to what it makes
on the device that it takes. Where nothing in the file says that an argument is a tensor, those tell
that call the function in other files of the project: they are run for it, but for tests.

Nothing is reported of functions that work on the host: tests and what prepares them, data sets,
samplers, objects that are called with samples, what is handed to a loader as `collate_fn`, what
lies in a folder called `data`, `datasets` or the like, and functions of scripts that put nothing on
an accelerator, and that no other file calls; of those that move what they are given, or what they
compute of it at once, `torch.cat([x, pad]).to(device)`, or hand it to NumPy; of those that the file
itself calls, directly or through others, and only with tensors on the CPU; nor of those that the
whole project calls only where samples are made, or of which somebody moves what they give; nor
where a tensor meets an argument for which all calls in the project, and what calls those, give what
was made on the CPU, or brought there. Nor is anything reported of functions that the project calls
with values of which nothing is known, in files that bring some to the CPU (`x.cpu()`), or in
classes that are no modules: of 24 such findings that had been read, 20 were wrong. A call that is
given what was moved, `f(x.to(device))`, one in a `forward`, and a function or class that asks for a
device, `x.device`, speak against that; what nobody calls is for users. A tensor with no dimensions
(`torch.tensor(0.5)`) is not reported where PyTorch takes it beside tensors on the accelerator, nor
one that may have none, as one in the shape of an argument. What an object has kept since it was
built may have been moved: it counts only where no code of the project sets it anew, and it meets
what is certainly on the accelerator, or the object was told a device when it was built. A module
that the function trains or loads is a model, and is left out. What is made in `forward`, or meets a
module's state, is TDL002.
Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""
    bad = """\
import torch


def smooth(x):
    kernel = torch.ones(1, 1, 3) / 3
    return torch.conv1d(x.unsqueeze(1), kernel, padding=1)
"""
    good = """\
import torch


def smooth(x):
    kernel = torch.ones(1, 1, 3, device=x.device) / 3
    return torch.conv1d(x.unsqueeze(1), kernel, padding=1)
"""
    fix_safety = """\
The tensor is made on the device of what it is mixed with. That is safe where that is certainly a
tensor on every path; it is unsafe where it can't be proven, and where the code asks for the CPU
in so many words.
"""

    triggers = frozenset({Trigger.FACTORY, Trigger.LAYER})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each tensor that a function makes for what it is given."""
        done = set[Site | None]()
        for meeting in facts.unexcused():
            kept = made_around(meeting.origin)
            if builds_for_given(facts, meeting):
                yield self._built(facts, meeting)
            elif kept not in done and self._is_ours(facts, meeting):
                done.update({kept} - {None})
                finding = meeting_finding(self, facts, meeting, meeting.origin.node)
                fix = made_or_moved(facts, meeting) if facts.fixable else None
                yield replace(finding, fix=fix)
        yield from mixed_returns(self, facts, on_device=False)

    def _is_ours(self, facts: Facts, meeting: Meeting) -> bool:
        origin = meeting.origin
        if origin.kind is not OriginKind.FACTORY or origin.keeper is not None:
            return False
        if meeting.scope and not origin.scope and origin.holder is None:
            return False
        if origin.holder is not None and not _is_kept(facts, meeting):
            return False
        if meeting.given is not None:
            brought = facts.concluded(Callers).may_bring_device(meeting.given)
            stays = _says_cpu(origin.node) or is_moved_at_once(facts.syntax, meeting.node)
            return brought and not stays
        return not (origin.in_forward or meeting.module_call)

    def _built(self, facts: Facts, meeting: Meeting) -> Finding:
        origin = meeting.origin
        return Finding(
            self.code,
            self.name,
            f"`{origin.label}` builds a module on the CPU, which is applied to "
            f"`{meeting.partner_text}` ({side(meeting)}) {place_of(facts, meeting)}",
            facts.span(origin.node),
            related_places(facts, f"applied to `{meeting.partner_text}` here", meeting),
            origin.scope,
            fix=moved_to_what_it_meets(facts, meeting) if facts.fixable else None,
            assumes=assumed_in(meeting),
            given=meeting.given is not None,
        )


def _is_kept(facts: Facts, meeting: Meeting) -> bool:
    """Whether an object certainly keeps a tensor on the CPU, and not to work with others there.

    Where it meets what a method is given, that is told by the device that the object was told.
    """
    holder = meeting.origin.holder
    if holder is not None and holder.followed:
        return True
    if meeting.given is not None and not (holder and holder.told_device):
        return False
    return is_kept_for_good(facts, meeting.origin)


def _says_cpu(node: ast.AST) -> bool:
    """Whether the code says itself that what it makes is for the CPU: so is what it is given."""
    given = by_keyword(node, "device") if isinstance(node, ast.Call) else []
    return any(isinstance(value, ast.Constant) and value.value == "cpu" for value in given)
