"""TDL007: a module keeps others, or parameters, in a plain list, tuple, set or dict."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.modules import LOSSES
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.registering import registered
from torchdev_lint.placement.evidence.kept_in_containers import Handling, handling_of
from torchdev_lint.placement.evidence.kinship import Kinship
from torchdev_lint.placement.facts.events import Unregistered
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.triage.triggers import Trigger


class UnregisteredModules(Rule):
    """`self.layers = [nn.Linear(...), nn.Linear(...)]`."""

    code = "TDL007"
    name = "unregistered-modules"
    summary = "Layers or parameters are kept in a plain list or dict: not moved, trained or saved."
    reason = """\
A module knows its parts by its attributes: modules and parameters that are assigned to one, or
registered by `add_module` and the like. What is in a list, tuple, set or dict is none of them.
`model.to(device)` doesn't move it, `model.parameters()` doesn't give it to the optimizer,
`model.state_dict()` doesn't save it, and `model.eval()` doesn't reach it.

On the CPU nothing fails, and part of the model is never trained. On a GPU, the first call raises
`RuntimeError: Expected all tensors to be on the same device`.

`nn.ModuleList`, `nn.ModuleDict` and `nn.ParameterList` hold the same things and register them. That
is the fix, and it is unsafe: the state dict has more keys afterwards, which checkpoints that were
saved before lack.

Nothing is reported of modules without state (activations, dropout, pooling), of those that are
registered in another way as well (`add_module`, `setattr`, `nn.Sequential(*self.layers)`, an
attribute of their own), of those that the code moves, saves or hands on itself, of arguments, nor
of a single module in a list: that is how one hides a module on purpose. Where a method lists their
parameters, they may be trained, but they are neither moved nor saved.

Metrics of torchmetrics are modules as well: of what they count nothing is trained or saved, but it
has to be where they are called. They are told where they are given what is on a device: some are
kept like that to count on the CPU.
Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
"""
    bad = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(16, 16) for _ in range(4)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x
"""
    good = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(4)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x
"""
    fix_safety = """\
The fix is always unsafe: what `nn.ModuleList` and its kin register is trained and saved from then
on, and the state dict has more keys.
"""

    triggers = frozenset({Trigger.KEPT})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each attribute that keeps what should be registered."""
        for kept in facts.of(Unregistered):
            proof = facts.derived(Proof)
            kin = facts.concluded(_kinship)
            handling = handling_of(facts.syntax, proof, kin, kept.owner, kept.attr, kept.building)
            if handling.by_hand or not handling.uses or not _is_certain(proof, kept, handling):
                continue
            if kept.origin is not None and facts.find(Meeting, kept.origin.identity) is None:
                continue
            use = min(handling.uses, key=lambda node: (node.lineno, node.col_offset))
            yield Finding(
                self.code,
                self.name,
                f"`self.{kept.attr}` keeps {_what(kept)} in a plain {kept.container}: "
                f"not moved with `{kept.owner.name}`{_lost(kept, handling.trained)}",
                facts.span(kept.node),
                (Related("used here", facts.span(use)),),
                kept.owner.name,
                unsafe_fix=registered(facts, kept) if facts.fixable else None,
            )


def _kinship(facts: Facts) -> Kinship:
    return Kinship(facts.syntax, facts.derived(Proof))


def _is_certain(proof: Proof, kept: Unregistered, handling: Handling) -> bool:
    """Whether there are several modules, or nothing but parameters that are made for it."""
    if kept.modules:
        return not kept.is_open or handling.repeated or len(handling.fills) > 1
    made = [fill.func for fill in handling.fills if isinstance(fill, ast.Call)]
    return (
        0 < len(made) == len(handling.fills)
        and (handling.repeated or len(made) > 1)
        and all(proof.values.library(function) == "torch.nn.Parameter" for function in made)
    )


def _lost(kept: Unregistered, trained: bool) -> str:
    """What else becomes of them: the weights of losses are constants, which nobody trains.

    What metrics count is neither trained nor saved.

    Args:
        trained: whether the code may hand their parameters to an optimizer.
    """
    if kept.metrics:
        return ""
    are_losses = bool(kept.held) and LOSSES.issuperset(kept.held)
    return ", not saved" if are_losses or trained else ", not trained, not saved"


def _what(kept: Unregistered) -> str:
    if not kept.modules:
        return "parameters"
    names = " and ".join(f"`{name}`" for name in kept.held[:2])
    return f"{names} modules" if names else "modules"
