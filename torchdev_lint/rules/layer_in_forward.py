"""TDL003: a layer built in `forward` is left on the host."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.change import Fix
from torchdev_lint.fixes.layers import layer_of_module, moved_layer
from torchdev_lint.placement.facts.events import Facts, Meeting
from torchdev_lint.rules.base import Rule


class LayerInForward(Rule):
    """`nn.Linear(...)(x)` in `forward`."""

    code = "TDL003"
    name = "layer-in-forward"
    summary = "A layer with parameters or buffers is built in `forward` and left on the CPU."
    reason = """\
A layer built in `forward` is new, and on the CPU, in every call: `model.to(device)` never saw
it, and the optimizer never trains it. Applied to a tensor on the accelerator it raises
`RuntimeError: Expected all tensors to be on the same device`. Layers belong in `__init__`.
Source: https://docs.pytorch.org/docs/stable/notes/modules.html
"""
    bad = """\
import torch
from torch import nn


class Head(nn.Module):
    def forward(self, x):
        linear = nn.Linear(16, 4)
        return linear(x.relu())
"""
    good = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 4)

    def forward(self, x):
        return self.linear(x.relu())
"""

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each layer that is built in `forward` and applied on the host."""
        for meeting in facts.unexcused():
            origin = meeting.origin
            if origin.kind != "layer":
                continue
            line = facts.span(meeting.node).line
            yield Finding(
                self.code,
                self.name,
                f"`{origin.label}` is built on the CPU in `{origin.scope}`, never moved, and "
                f"applied to `{meeting.partner_text}` (on the model's device) on line {line}",
                facts.span(origin.node),
                (Related(f"applied to `{meeting.partner_text}` here", facts.span(meeting.node)),),
                origin.scope,
                *self.fixes(facts, meeting),
            )

    def fixes(self, facts: Facts, meeting: Meeting) -> tuple[Fix | None, Fix | None]:
        """Move the layer to the device; better, but not the same: build it in `__init__`."""
        better = layer_of_module(facts, meeting)
        return moved_layer(facts, meeting) or better, better
