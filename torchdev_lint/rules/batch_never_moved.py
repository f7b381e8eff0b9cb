"""TDL004: a batch from a data loader reaches the model without having been moved."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.change import Fix
from torchdev_lint.fixes.inputs import moved_batch
from torchdev_lint.placement.facts import Facts, Meeting
from torchdev_lint.placement.names import short
from torchdev_lint.rules.base import Rule


class BatchNeverMoved(Rule):
    """`for images, labels in loader: model(images)`."""

    code = "TDL004"
    name = "batch-never-moved"
    summary = "A batch from a data loader meets the model or its output without having been moved."
    reason = """\
A `DataLoader` yields tensors on the CPU (pinned at most), whatever device the model is on.
Every part of a batch that meets the model, its output or a loss has to be moved first, or the
call raises `RuntimeError: Expected all tensors to be on the same device`.
Source: https://docs.pytorch.org/docs/stable/data.html
"""
    bad = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 2).to("cuda")
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
for (images,) in loader:
    print(model(images))
"""
    good = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 2).to("cuda")
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
for (images,) in loader:
    print(model(images.to("cuda")))
"""

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each part of a batch that meets the accelerator unmoved."""
        for meeting in facts.unexcused():
            origin = meeting.origin
            if origin.kind != "batch":
                continue
            start = facts.span(origin.node)
            name = short(meeting.host_node)
            where = (
                f"the model `{meeting.partner_text}` on the accelerator"
                if meeting.module_call
                else f"`{meeting.partner_text}` (on the accelerator) in `{meeting.operation}`"
            )
            yield Finding(
                self.code,
                self.name,
                f"`{name}` comes from a data loader (line {start.line}), "
                f"is never moved, and meets {where}",
                facts.span(meeting.host_node),
                (Related("the batch comes from the data loader here", start),),
                meeting.scope,
                self.fix(facts, meeting),
            )

    def fix(self, facts: Facts, meeting: Meeting) -> Fix | None:
        """Move the part where the loop, or an assignment, takes it out of the batch."""
        return moved_batch(facts, meeting)
