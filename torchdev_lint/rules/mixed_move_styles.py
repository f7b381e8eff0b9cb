"""TDL901: what goes to CUDA by name, where the code has chosen a device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.devices import CUDA_TYPE
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.chosen import moved_where_chosen
from torchdev_lint.placement.evidence.bound_to_cuda import BoundToCuda
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.chosen import Chosen
from torchdev_lint.rules.hard_coded_cuda import hard_coded
from torchdev_lint.rules.ignored import Ignored
from torchdev_lint.syntax.names import short
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger


class MixedMoveStyles(Rule):
    """`model.cuda()` beside `x.to(device)`."""

    code = "TDL901"
    name = "mixed-move-styles"
    summary = "`.cuda()` stands where the code has a device, to which it moves other things."
    reason = """\
A script that has a `device`, and moves things with `.to(device)`, has one line that says where it
runs. A `.cuda()` beside that says it once more, and always the same: it raises where there is no
CUDA, as on a laptop, in CI, or on an accelerator of another kind (`mps`, `xpu`), whatever `device`
has been set to; and with `device = torch.device("cuda:1")` it goes to another GPU than the rest.
Where `device` is what `.cuda()` means, nothing fails: this is a matter of style with a reason, and
so it is advice, and off by default.

Reported is a `.cuda()` without a number, where a variable, argument or attribute to which the same
file moves something with `.to` can be had, by the name of a device: `device`, `self.device`,
`args.device`. Nothing is reported of code that is about CUDA: that calls functions of `torch.cuda`
(streams, events, memory), is distributed, is named after GPUs, asserts that there is CUDA or has
returned where there is none, or belongs to a file with a compiled extension; nor where the device
is the CPU, or that of a tensor (`x.device`), or where the `.cuda()` stands under a condition that
asks for that very device. Where the code beside it shows that the device may be the CPU, TDL102
says so; where TDL903 is on and says that what `.cuda()` gives meets what is elsewhere, that does.

In 118 repositories, 34 files had both a `.cuda()` and a `.to(device)`. The rule had 13 findings in
10 of these; 10 are right: in 6 of them the device is CUDA in any case, so that nothing is gained
but one place to change; in 4 the `.cuda()` ignores the device that was chosen. 3 were false: a test
whether CUDA works, a device to which a result goes back, and a branch that had asked for the
device. They are silent now; no other code was read since.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
"""
    bad = """\
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args([])
model = nn.Linear(4, 2).cuda()
x = torch.randn(3, 4).to(args.device)
print(model(x).sum())
"""
    good = """\
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args([])
model = nn.Linear(4, 2).to(args.device)
x = torch.randn(3, 4).to(args.device)
print(model(x).sum())
"""
    fix_safety = """\
`.cuda()` becomes `.to(device)`. That is safe where the device certainly is `"cuda"` where there is
CUDA, and something else only where `.cuda()` raises, and where what is moved certainly is a tensor
or a module of PyTorch; else it is unsafe: the rest of the program may count on CUDA. There is none
where a condition about devices leads to the `.cuda()`: the condition would have to go too.
"""

    triggers = frozenset({Trigger.NAMED})
    opt_in = True
    advice = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each `.cuda()` where there is a device to move to."""
        calls = [node for node in walk(facts.tree) if isinstance(node, ast.Call)]
        named = [call for call in calls if _is_to_cuda(call)]
        chosen = Chosen(facts, calls if named else ())
        if not chosen.moves:
            return
        told = _told_by_others(facts)
        for call in named:
            if call in told or facts.syntax.in_string(call):
                continue
            if facts.derived(BoundToCuda).is_about_cuda(call):
                continue
            found = chosen.in_reach(call)
            if found is not None:
                yield self._finding(facts, call, *found)

    def _finding(self, facts: Facts, call: ast.Call, move: ast.Call, device: ast.expr) -> Finding:
        where = f"`{short(device)}`"
        return Finding(
            self.code,
            self.name,
            f"`{short(call)}` goes to CUDA, but line {facts.line_of(move)} moves to {where}, which "
            "may be another place",
            facts.span(call),
            (Related(f"is moved to {where} here", facts.span(move)),),
            facts.syntax.scope_name(call),
            fix=moved_where_chosen(facts, call, device) if facts.fixable else None,
        )


def _is_to_cuda(call: ast.Call) -> bool:
    """Whether a call moves something to whatever is the current device of CUDA."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != CUDA_TYPE or call.args:
        return False
    return all(keyword.arg == "non_blocking" for keyword in call.keywords)


def _told_by_others(facts: Facts) -> set[ast.AST]:
    """What TDL102 says more of, or TDL903, if it was asked."""
    known, told = facts.unsupposed, set[ast.AST](facts.concluded(Ignored).calls)
    return told if known is None else told | {event.origin.node for event in hard_coded(known)}
