"""TDL003: a layer built in `forward` is left on the host, or never trained."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.layers import built_in_init
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.facts.events import Rebuilt
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import assumed_in, place_of, related_places
from torchdev_lint.triage.triggers import Trigger


class LayerInForward(Rule):
    """`nn.Linear(...)(x)` in `forward`."""

    code = "TDL003"
    name = "layer-in-forward"
    summary = "A layer is built in `forward`: left on the CPU, or never trained and never saved."
    reason = """\
A layer built in `forward` is new in every call: `model.to(device)` never saw it, the optimizer
doesn't have its parameters, and `state_dict()` doesn't save them.

Left on the CPU, and applied to a tensor on the accelerator, it raises `RuntimeError: Expected all
tensors to be on the same device`. Built on the right device (`.to(x.device)`, `device=x.device`,
`with torch.device(...)`) it raises nothing, and each call computes with other random weights.

Layers belong in `__init__`, and that is the only fix there is. It is unsafe, since it changes the
state dict: checkpoints saved before lack the layer. There is no safe one: a `.to(x.device)` where
the layer is built would silence the error and keep the defect. A layer whose size is known only in
`forward` can be a lazy one, such as `nn.LazyLinear`, in `__init__`.

A layer on the right device is not reported if its parameters can't be trained (`affine=False`,
pooling, dropout), if the code gives them values, loads, freezes or reads them, if gradients may be
off there, or if the layer is kept as an attribute, returned, or handed to code out of sight.
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
    fix_safety = """\
The fix is always unsafe: it builds the layer once, in `__init__`, so that the state dict has more
keys and checkpoints saved before lack the layer.
"""

    triggers = frozenset({Trigger.LAYER, Trigger.LOSS})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each layer that is built in `forward` and applied there."""
        for meeting in facts.unexcused():
            if meeting.origin.kind is OriginKind.LAYER:
                yield self._left_on_host(facts, meeting)
        for rebuilt in facts.untrained():
            yield self._never_trained(facts, rebuilt)

    def _left_on_host(self, facts: Facts, meeting: Meeting) -> Finding:
        origin = meeting.origin
        return Finding(
            self.code,
            self.name,
            f"`{origin.label}` is built on the CPU here, never moved, and applied to "
            f"`{meeting.partner_text}` (on the model's device) {place_of(facts, meeting)}",
            facts.span(origin.node),
            related_places(facts, f"applied to `{meeting.partner_text}` here", meeting),
            origin.scope,
            unsafe_fix=built_in_init(facts, origin) if facts.fixable else None,
            assumes=assumed_in(meeting),
        )

    def _never_trained(self, facts: Facts, rebuilt: Rebuilt) -> Finding:
        origin = rebuilt.origin
        return Finding(
            self.code,
            self.name,
            f"`{origin.label}` is built in `{origin.scope}` in every call: its parameters are "
            "never trained and never saved",
            facts.span(origin.node),
            (Related("applied here", facts.span(rebuilt.node)),),
            origin.scope,
            unsafe_fix=built_in_init(facts, origin) if facts.fixable else None,
        )
