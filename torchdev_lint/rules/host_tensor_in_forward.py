"""TDL002: a tensor made on the host in `forward` meets tensors on the accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.finding import Finding
from torchdev_lint.fixes.new_tensors import made_or_moved
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.records import replace
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import meeting_finding
from torchdev_lint.rules.returns import mixed_returns
from torchdev_lint.triage.triggers import Trigger


class HostTensorInForward(Rule):
    """`torch.zeros(...)` in `forward` without `device=`."""

    code = "TDL002"
    name = "host-tensor-in-forward"
    summary = "A tensor is created in `forward` without a device and meets tensors on the model's."
    reason = """\
A factory such as `torch.zeros` without `device=` makes a tensor on the CPU, wherever the
model lives. The first operation that combines it with a parameter or an input raises
`RuntimeError: Expected all tensors to be on the same device`. Buffers and parameters move
with the module; tensors made in `forward` don't.

One that `forward` returns where its input is empty, or holds something else, is reported as well
if it returns one on the model's device otherwise: what comes next fails on one of the two paths.
A tensor with no dimensions (`torch.tensor(0.5)`) is not reported where PyTorch takes it beside
tensors on the accelerator, as arithmetic does.
Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""
    bad = """\
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        noise = torch.randn(4)
        return self.linear(x) + noise
"""
    good = """\
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        noise = torch.randn(4, device=x.device)
        return self.linear(x) + noise
"""
    fix_safety = """\
The tensor is made on the device of what it meets (`device=x.device`), or moved there where it
can't be made there. That is safe where what the device is taken from is certainly a tensor, a
parameter or a device on every path. It is unsafe where that can't be proven, and where the code
asks for the CPU in so many words (`device="cpu"`).
"""

    triggers = frozenset({Trigger.FACTORY})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each host tensor made in `forward` that meets the accelerator."""
        for meeting in facts.unexcused():
            origin = meeting.origin
            if origin.kind is OriginKind.FACTORY and origin.in_forward and meeting.given is None:
                finding = meeting_finding(self, facts, meeting, origin.node)
                yield replace(finding, fix=made_or_moved(facts, meeting) if facts.fixable else None)
        yield from mixed_returns(self, facts, on_device=True)
