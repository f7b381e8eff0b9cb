"""TDL016: a function mixes what it is given with what it makes on the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from torchdev_lint.finding import Finding
from torchdev_lint.fixes.new_tensors import made_or_moved
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.facts.events import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.callers import Callers
from torchdev_lint.rules.describe import meeting_finding
from torchdev_lint.triage.triggers import Trigger


class FunctionIgnoresDevice(Rule):
    """`def mask(x): return x * torch.ones(4)`."""

    code = "TDL016"
    name = "function-ignores-device"
    summary = "A function makes a tensor on the CPU and mixes it with one that it is given."
    reason = """\
A function or method that is given a tensor can't know where it lives. What it makes with a factory
such as `torch.ones` without `device=` is on the CPU, and meets that tensor only as long as that
is there as well: with one on an accelerator, the call raises
`RuntimeError: Expected all tensors to be on the same device`.

Nothing is reported of functions that work on the host: tests, data sets, samplers and what is
handed to a loader as `collate_fn`; those that move what they are given, or hand it to NumPy; nor of
those that the file itself calls, and only with tensors on the CPU. A tensor with no dimensions
(`torch.tensor(0.5)`) is not reported where PyTorch takes it beside tensors on the accelerator. What
is made in `forward`, or meets a module's state, is TDL002.
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

    triggers = frozenset({Trigger.FACTORY})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each tensor that a function makes for what it is given."""
        for meeting in facts.unexcused():
            origin = meeting.origin
            if origin.kind is not OriginKind.FACTORY or origin.kept or not origin.scope:
                continue
            if origin.keeper is not None:
                continue
            if meeting.given is None:
                is_ours = not origin.in_forward and not meeting.module_call
            else:
                is_ours = facts.concluded(Callers).may_bring_device(meeting.given)
            if is_ours:
                finding = meeting_finding(self, facts, meeting, origin.node)
                fix = made_or_moved(facts, meeting) if facts.fixable else None
                yield replace(finding, fix=fix)
