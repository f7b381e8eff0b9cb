"""TDL014: an optimizer keeps tensors, or parameters, that its model has left behind."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from torchdev_lint.catalog.optimizers import FILLED_WHEN_BUILT
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.optimizers import moved_before
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.evidence.optimizer_states import reaches_states
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.optimizers import StaleState, Untaken
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.stores import stores_in
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger

_BUILDERS = frozenset(name.rpartition(".")[2] for name in FILLED_WHEN_BUILT)


class OptimizerBeforeMove(Rule):
    """`optimizer.load_state_dict(state)`, and `model.to(device)` after it."""

    code = "TDL014"
    name = "optimizer-before-move"
    summary = "An optimizer's state is filled before its model is moved, or it misses a new layer."
    reason = """\
`model.to(device)` gives each parameter new data, and stays with the same parameters. So an
optimizer may well be built before: most make what they keep for each parameter at the first step,
where the parameters are by then. What they keep stays where it was made, though, and meets
gradients on the accelerator if the model is moved afterwards: `optimizer.step()` raises
`RuntimeError: Expected all tensors to be on the same device`. That is so

- where it was made when the optimizer was built, as Adagrad does, and no other one;
- where it was loaded: `optimizer.load_state_dict(state)` copies it to where the parameters are;
- where a step was taken on the CPU before.

Build Adagrad, and load states, after the model was moved.

Reported as well is an optimizer that doesn't have the parameters it should train: a layer of its
model was replaced since it was built (`model.fc = nn.Linear(512, 10)`), or the whole model. Nothing
raises; the new layer keeps the numbers it began with.

Nothing is reported of SGD without momentum, which keeps nothing; where the code reaches into
`optimizer.state`, as it does to move that by hand; where the optimizer is handed to code that is
not in sight, or gets parameters later; where another optimizer has the new layer; nor of a model
that is built in code out of sight.

In its first reading, of the 1,771 files of 530 repositories that load the state of an optimizer,
build Adagrad or replace a layer, it had 17 findings in three repositories, two of them with the
same code: all resume a run with a state that is loaded before the model is moved, which fails on
a GPU.

Source: https://docs.pytorch.org/docs/stable/optim.html#constructing-it
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
model.to(device)

loss = model(torch.ones(1, 4, device=device)).sum()
loss.backward()
optimizer.step()
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2)
model.to(device)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)

loss = model(torch.ones(1, 4, device=device)).sum()
loss.backward()
optimizer.step()
"""
    fix_safety = """\
The statement that moves the model goes up, before the one that fills the optimizer, where nothing
between them changes the device. It is unsafe, since what stands between them is run with a model
that is on the accelerator by then. There is none for a layer that was replaced: where the optimizer
is to be built is for the code to say.
"""

    triggers = frozenset({Trigger.LAYER, Trigger.PRETRAINED})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each optimizer that is not up to date with its model."""
        stale = facts.of(StaleState)
        if stale and not facts.derived(reaches_states):
            yield from (self._stale(facts, event) for event in stale)
        for untaken in facts.of(Untaken):
            yield self._untaken(facts, untaken)

    def _stale(self, facts: Facts, event: StaleState) -> Finding:
        origin, step, model = event.origin, event.step, event.models[0]
        line = "" if step is None else f" on line {facts.line_of(step)}"
        return Finding(
            self.code,
            self.name,
            f"{_what(origin)} on the CPU, before `{model}` is moved; `step`{line} fails",
            facts.span(origin.node),
            (
                *(() if step is None else (Related("fails here", facts.span(step)),)),
                *_filled_elsewhere(origin),
            ),
            origin.scope,
            fix=moved_before(facts, event) if facts.fixable else None,
        )

    def _untaken(self, facts: Facts, event: Untaken) -> Finding:
        origin, whole = event.origin, f"{event.model}.{event.part}".rstrip(".")
        name = event.part or event.model
        stores = sorted(facts.derived(_stores)[name], key=lambda node: node.lineno)
        later = [node for node in stores if _is_after(node, origin)]
        return Finding(
            self.code,
            self.name,
            f"`{origin.label}` is built before `{whole}` is replaced, which it never trains then",
            facts.span(origin.node),
            tuple(Related("replaced here", facts.span(node)) for node in later[:1]),
            origin.scope,
        )


def _what(origin: Origin) -> str:
    """What fills the state of an optimizer, as a message says it."""
    if origin.label.rpartition(".")[2] in _BUILDERS:
        return f"`{origin.label}` makes its state"
    return f"`{origin.label}` leaves its state"


def _filled_elsewhere(origin: Origin) -> Iterator[Related]:
    """Yield where the state is filled, if that is in another file."""
    if (site := origin.elsewhere) is not None:
        yield Related("the state is filled here", site.span, site.path)


def _is_after(node: ast.expr, origin: Origin) -> bool:
    return node.lineno > getattr(origin.node, "lineno", 0)


def _stores(syntax: Syntax) -> dict[str, list[ast.Name | ast.Attribute]]:
    """Where variables, and the attributes of anything, are set, by their names."""
    found: dict[str, list[ast.Name | ast.Attribute]] = defaultdict(list)
    for name, node in stores_in(walk(syntax.tree)):
        found[name].append(node)
    return found
