"""TDL903: reusable code names CUDA, wherever its model and its arguments are."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.named import followed
from torchdev_lint.placement.evidence.bound_to_cuda import BoundToCuda
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.hard_coded import HardCoded
from torchdev_lint.records import replace
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.ignored import Ignored
from torchdev_lint.rules.wording import spare
from torchdev_lint.syntax.names import short


class HardCodedCuda(Rule):
    """`mask = torch.ones(4).cuda()` in a `forward`."""

    code = "TDL903"
    name = "hard-coded-cuda"
    summary = (
        "Reusable code puts a tensor on CUDA by name, and mixes it with what may be elsewhere."
    )
    reason = """\
`x.cuda()`, `x.to("cuda:0")`, `device="cuda"` and `torch.cuda.FloatTensor` name one place. A module
lives wherever its user has moved it, and a function is given tensors that live wherever its caller
has them. Where what the code puts on CUDA meets those, the program

- fails where there is no CUDA: on a laptop, in CI, on `mps` or `xpu`;
- raises `RuntimeError: Expected all tensors to be on the same device` where the model was left on
  the CPU, or is on another GPU: `.cuda()` means the current one, which is mostly the first.

Nothing is reported where a condition about devices leads there, or one that asks what such a
question gave; where `device="cuda"` is only the default of a parameter, or a setting at the top of
the file; where what comes of it goes back, or everything was moved; of buffers and parameters,
which move with their module; of code that asserts that there is CUDA, uses `torch.cuda`'s own
functions, `torch.distributed`, Triton or a compiled extension, or is called after GPUs; of tests,
benchmarks, and the functions of a script. A project that names CUDA in several files, and nowhere
chooses the CPU instead, is a program for CUDA: nothing is said of its code either. What ignores a
device that the code beside it has chosen, and that may be the CPU, is TDL102's.

It is off by default. In code that had not been read before, 390 research repositories and 42 trees
of libraries (the last in part), it had 79 findings: in all of them but one, which was told at the
wrong place, the code fails as said, and 76 are worth a maintainer's time. In 148 others it had 27,
all of which fail as said; 16 are in one program that is for CUDA anyway. In 95 more it had 20, all
of which fail as said; 12 are in two programs that need CUDA, but for what prepares their data, or
what they bring along. In 30 released packages it had none.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""
    bad = """\
import torch
from torch import nn


class Smooth(nn.Module):
    def forward(self, x):
        kernel = torch.ones(1, 1, 3).cuda() / 3
        return torch.conv1d(x.unsqueeze(1), kernel, padding=1)
"""
    good = """\
import torch
from torch import nn


class Smooth(nn.Module):
    def forward(self, x):
        kernel = torch.ones(1, 1, 3, device=x.device) / 3
        return torch.conv1d(x.unsqueeze(1), kernel, padding=1)
"""

    fix_safety = """\
The call takes the device of what it meets: `.to(x.device)`, `device=self.proj.weight.device`.
That is safe where this is certainly a tensor or a parameter, and the very one that is met: a
program that works has both on one device. It is unsafe where another value in sight tells the
device. There is none for `torch.cuda.FloatTensor`, which says more than a place, nor for what
`__init__` keeps, which has to become a buffer.
"""

    triggers = frozenset()
    opt_in = True
    preview = True
    wants_unsupposed = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each value that the code puts on CUDA, and meets another there."""
        known = facts.unsupposed
        if known is None:
            return
        told = facts.concluded(Ignored).calls
        for event in hard_coded(known):
            if event.origin.node in told:  # TDL102 says so
                continue
            fix = followed(known, event) if facts.fixable else None
            yield replace(self._finding(known, event), fix=fix)

    def _finding(self, facts: Facts, event: HardCoded) -> Finding:
        partner = f"`{short(event.partner)}`"
        line = facts.line_of(event.node)
        origin, met = event.origin, f"meets {partner}{spare(f' in `{event.operation}`')}"
        put = f"`{short(origin.node) if origin.label.startswith('.') else origin.label}`"
        if event.module_call:
            met = f"is passed to {partner}"
        return Finding(
            self.code,
            self.name,
            f"{put} {met} on line {line}, which fails without CUDA{spare(', or on another GPU')}",
            facts.span(origin.node),
            (Related(f"meets {partner} here", facts.span(event.node)),),
            origin.scope,
        )


def hard_coded(known: Facts) -> Iterator[HardCoded]:
    """Yield what code that is not for CUDA alone puts there, and meets another value.

    Args:
        known: what holds where nothing is supposed of devices.
    """
    bound = known.derived(BoundToCuda)
    for event in known.of(HardCoded):
        if not bound.is_for_cuda(event.origin.node, event.node, event.entry):
            yield event
