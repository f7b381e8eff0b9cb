"""TDL904: each step of a training waits for the accelerator, to read a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.finding import Finding
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.reads import HostRead, Reading
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.names import short
from torchdev_lint.syntax.training import Loop, training_loop
from torchdev_lint.triage.triggers import Trigger

_READS = {
    Reading.CALL: "`{}`",
    Reading.TRUTH: "asking whether `{}` is true",
    Reading.TEXT: "writing `{}` out",
}


class SyncInLoop(Rule):
    """`total += loss.item()` in each step of a training loop."""

    code = "TDL904"
    name = "sync-in-loop"
    summary = "Each step of a training loop reads a tensor on the accelerator, and waits for it."
    reason = """\
An accelerator works on its own: operations are put in its queue, and the host goes on to prepare
what comes next. Who reads what is in a tensor has to wait until the queue has got there, and the
accelerator then waits for the host. `loss.item()`, `.cpu()`, `.tolist()`, `float(loss)`,
`print(loss)`, `f"{loss}"` and `if loss > 3:` read. One of them in each step keeps the host
from ever being ahead. Nothing fails, so this is advice, and off by default.

Add up on the device, `total += loss.detach()`, and read the sum where the loop ends; or read once
in a while, `if step % 100 == 0: print(loss.item())`. What the step itself can't do without has to
be read.

Reported is a read in each step of a loop over batches that calls `.backward()`, or both
`zero_grad()` and `step()` of an optimizer, if the tensor is certainly on the accelerator; one for
each statement. Nothing is reported under a condition or behind a `continue`, after the loop, in
loops that evaluate, in loops that call `torch.cuda.synchronize()`, nor in loops that only count: a
program that acts on each answer of a model has to read it. How long a step waits depends on the
model and the machine; nothing was measured.

In the first reading, of 30 repositories, it had 39 findings in eight of them, each of a tensor that
every step reads. In three the loop waits on purpose, to measure times, of which it says nothing any
more; two were in a loop over policies, not over batches; 13 ask for NaN, to which the program may
have to react at once. The others add up losses and scores.

Source: https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

total = 0.0
for batch in torch.randn(3, 8, 4):
    loss = model(batch.to(device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(total)
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

total = torch.zeros((), device=device)
for batch in torch.randn(3, 8, 4):
    loss = model(batch.to(device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
print(total.item())
"""
    fix_safety = """\
There is no fix: where else a value may be read depends on what it is read for.
"""

    triggers = frozenset({Trigger.TRAINING})
    opt_in = True
    advice = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each statement that reads something in each step of a training."""
        told: set[ast.stmt | None] = set()
        for read in facts.of(HostRead):
            statement = facts.syntax.statement(read.node)
            if statement in told:
                continue
            loop = training_loop(facts.syntax, read.node)
            if loop is not None:
                told.add(statement)
                yield self._finding(facts, read, loop)

    def _finding(self, facts: Facts, read: HostRead, loop: Loop) -> Finding:
        what = _READS[read.reading].format(short(read.node))
        return Finding(
            self.code,
            self.name,
            f"{what} makes the host wait for the accelerator in each step of the training loop"
            f" on line {facts.line_of(loop)}",
            facts.span(read.node),
            scope=read.scope,
        )
