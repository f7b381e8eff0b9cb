"""TDL902: a tensor is made on the CPU, and moved at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.devices import DEVICE_NAMES, HOST_TYPE
from torchdev_lint.catalog.factories import FILLED_ALIKE
from torchdev_lint.finding import Finding
from torchdev_lint.fixes.made_there import made_there
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component, short
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger

_SAYS_MORE = frozenset({None, "device", "out", "requires_grad", "pin_memory", "layout"})
"""Arguments of factories with which they can't simply be told a device, or already are."""


class CreateThenMove(Rule):
    """`torch.zeros(n).to(device)`."""

    code = "TDL902"
    name = "create-then-move"
    summary = "A tensor is made on the CPU and moved at once: an allocation and a copy for nothing."
    reason = """\
`torch.zeros(n).to(device)` asks the CPU for memory and fills it, asks the device for memory, and
copies from one to the other. `torch.zeros(n, device=device)` asks the device only, and fills it
there. Nothing fails, so this is advice, and off by default.

Measured on one core of a CPU, with a copy in the CPU's own memory in place of the one to a device:
the allocation and the copy take 7.9 instead of 2.6 microseconds for 1,000 zeros, 157 instead of 43
for a million, and 166 instead of 79 milliseconds for ten million, which is two to four times as
long. Nothing was measured on an accelerator, where the copy goes over a bus and waits for it.

Reported are `zeros`, `ones`, `full`, `eye` and `empty`, which give the same numbers anywhere. What
draws numbers (`randn`, `randint`, `randperm`) would give others on the device, and what computes
them (`linspace`, `arange`) might; `torch.tensor` copies its data in any case. Nothing is reported
where the destination may be something else than a device, as a dtype, nor where the move or the
factory says more, as `requires_grad=True` does.

Source: https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
"""
    bad = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mask = torch.ones(1024, 1024, dtype=torch.bool).to(device)
print(mask.sum())
"""
    good = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mask = torch.ones(1024, 1024, dtype=torch.bool, device=device)
print(mask.sum())
"""
    fix_safety = """\
The factory is told the device, and the move goes. That is safe where what it was moved to is
certainly a device, since the numbers are the same; else it is unsafe.
"""

    triggers = frozenset({Trigger.MADE_TWICE})
    opt_in = True
    advice = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each tensor that is filled on the CPU to be copied."""
        for node in walk(facts.tree):
            if not isinstance(node, ast.Call):
                continue
            made, device = _made_by(facts, node), _destination(node)
            if made is not None and device is not None:
                yield self._finding(facts, node, made, device)

    def _finding(self, facts: Facts, move: ast.Call, made: ast.Call, device: ast.expr) -> Finding:
        where = f"`{short(device)}`"
        return Finding(
            self.code,
            self.name,
            f"`{short(made.func)}` fills memory of the CPU, which is copied to {where} at once",
            facts.span(move),
            scope=facts.syntax.scope_name(move),
            fix=made_there(facts, move, made, device) if facts.fixable else None,
        )


def _made_by(facts: Facts, move: ast.Call) -> ast.Call | None:
    """The call of a factory whose result is moved, if the factory could be told where."""
    if not isinstance(move.func, ast.Attribute) or move.func.attr != "to":
        return None
    made = move.func.value
    if not isinstance(made, ast.Call) or any(kw.arg in _SAYS_MORE for kw in made.keywords):
        return None
    is_known = facts.derived(Proof).values.library(made.func) in FILLED_ALIKE
    return made if is_known else None


def _destination(move: ast.Call) -> ast.expr | None:
    """Where something is moved to, if that is a device by its name, and nothing else is said."""
    given = [*move.args, *by_keyword(move, "device")]
    if len(given) != 1 or len(move.args) + len(move.keywords) != 1:
        return None
    device = given[0]
    if isinstance(device, ast.Constant):
        return device if isinstance(device.value, str) and device.value != HOST_TYPE else None
    if isinstance(device, ast.Call):
        return device if last_component(device.func) == "device" else None
    return device if last_component(device) in DEVICE_NAMES else None
