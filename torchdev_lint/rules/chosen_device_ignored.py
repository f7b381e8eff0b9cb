"""TDL102: CUDA is named where the code has chosen a device that may be the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.chosen import put_where_chosen
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.ignored import Ignored, Ignoring
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class ChosenDeviceIgnored(Rule):
    """`labels.cuda()` beside `device = "cuda" if torch.cuda.is_available() else "cpu"`."""

    code = "TDL102"
    name = "chosen-device-ignored"
    summary = "CUDA is named where the code has chosen a device that may be the CPU."
    reason = """\
A program that asks for its device, and falls back to the CPU where there is no CUDA, is meant to
run there. One line in it that names CUDA all the same, `x.cuda()`, `x.to("cuda")`,
`device="cuda"`, makes the choice worthless: on a laptop, in CI, on `mps` or `xpu`, it raises
`AssertionError: Torch not compiled with CUDA enabled` or `RuntimeError: Found no NVIDIA driver on
your system`. Where there is CUDA, and the CPU was chosen all the same (`--device cpu`), what is on
CUDA meets what is not: `RuntimeError: Expected all tensors to be on the same device`.

Reported is what names CUDA, or `cuda:0`, beside a device by which the same function goes, or for
`self.device` the same class: things are moved to it, or made there, in the whole file at least as
often as CUDA is named. And the file itself shows that this device may be the CPU:

- all that is assigned to it is known, and one of that is the CPU;
- it is a parameter that is called `device`, and by default nothing but the CPU;
- it is the `device` of an `Accelerator`, which takes the CPU where there is nothing else.

Nothing is reported where a condition about devices leads there, or to all calls of the function; of
what may fail in a `try`; of code that needs CUDA anyway: that asserts it, returns where there is
none, calls functions of `torch.cuda` that raise there, is distributed, imports a library that is
for CUDA alone, or is called after GPUs; of tests.

Where nothing shows that the device may be the CPU, this is a matter of style: TDL901.

In 442 repositories, with which the rule was made, it has 37 findings in 18 files; all fail as said.
In 263 others that had not been read it had 3 in 2 files, all of which fail as said.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
scale = torch.tensor([2.0, 0.5]).cuda()
print(model(torch.randn(3, 4, device=device)) * scale)
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
scale = torch.tensor([2.0, 0.5]).to(device)
print(model(torch.randn(3, 4, device=device)) * scale)
"""
    fix_safety = """\
The call takes the device that was chosen: `.to(device)`, `device=device`. That is safe where it
certainly is `"cuda"` where there is CUDA, and something else only where the call raises, and where
what is moved certainly is a tensor or a module of PyTorch; else it is unsafe: the rest of the
program may count on CUDA. There is none for `torch.cuda.FloatTensor`, which says more than a place.
"""

    triggers = frozenset({Trigger.NAMED})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each call that names CUDA beside a device that may be the CPU."""
        for ignoring in facts.concluded(Ignored).calls.values():
            yield self._finding(facts, ignoring)

    def _finding(self, facts: Facts, ignoring: Ignoring) -> Finding:
        call, device = ignoring.call, f"`{short(ignoring.device)}`"
        return Finding(
            self.code,
            self.name,
            f"`{short(call)}` goes to CUDA, and not to {device}, which may be the CPU by line "
            f"{facts.line_of(ignoring.shown)}: it fails without CUDA",
            facts.span(call),
            (
                Related(f"{device} may be the CPU by this", facts.span(ignoring.shown)),
                Related(f"{device} is where this goes", facts.span(ignoring.beside)),
            ),
            facts.syntax.scope_name(call),
            fix=put_where_chosen(facts, call, ignoring.device) if facts.fixable else None,
        )
