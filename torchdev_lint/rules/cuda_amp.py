"""TDL906: mixed precision for CUDA by name, where the code has chosen a device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.training import CUDA_AMP
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.mixed_precision import of_device
from torchdev_lint.placement.evidence.flags import about_devices, is_asked_for
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.chosen import Chosen
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.cuda import names_cuda
from torchdev_lint.syntax.names import short
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger

_SWITCH = "enabled"


class CudaAmp(Rule):
    """`torch.cuda.amp.autocast()` beside `model.to(device)`."""

    code = "TDL906"
    name = "cuda-amp"
    summary = "Mixed precision is for CUDA alone, where the code has a device that may be another."
    reason = """\
`torch.cuda.amp.autocast()` and `torch.cuda.amp.GradScaler()` are for CUDA, whatever `device` is.
Where there is none they warn that CUDA is not available, and do nothing: on a Mac, an XPU or the
CPU the program computes in single precision. With CUDA they work; since PyTorch 2.4 each use of
them warns that it is deprecated (`FutureWarning`). Nothing fails, so this is advice, and off by
default.

`torch.amp.autocast(device.type)` and `torch.amp.GradScaler(device.type)` are for whatever device
they are told. The first one is `torch.autocast`, which PyTorch has since 1.10; it has the second
one since 2.3.

Reported is where a variable, argument or attribute to which the same file moves something with
`.to` can be had, by the name of a device: `device`, `self.device`, `args.device`. Nothing is
reported where that device certainly is CUDA, where a question about devices leads there, or is what
`enabled` is told, nor where that is `False`.

It has 326 findings in 67 of 793 repositories. Of its first version, one in each of 64 was looked
at: the line, and what the device is. 58 are right; two are in programs whose device is CUDA in any
case, by a number; four were false, and are silent now: the device of a parameter or model (3), and
a scaler that is there unless the program runs on the CPU.

Source: https://docs.pytorch.org/docs/stable/amp.html
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
with torch.cuda.amp.autocast():
    print(model(torch.ones(3, 4, device=device)).sum())
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
with torch.amp.autocast(device.type):
    print(model(torch.ones(3, 4, device=device)).sum())
"""
    fix_safety = """\
`torch.cuda.amp` becomes `torch.amp`, which is told the type of the device. With CUDA that is the
same. It is unsafe all the same: on other devices mixed precision, which has done nothing so far, is
on then, on the CPU with `bfloat16`.
"""

    triggers = frozenset({Trigger.AMP})
    opt_in = True
    advice = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each use of mixed precision where there is a device to tell."""
        proof = facts.derived(Proof)
        if not proof.mentions.names("amp"):
            return  # what each call is of takes much longer to tell
        library = proof.values.library
        calls = [node for node in walk(facts.tree) if isinstance(node, ast.Call)]
        used = [(call, name) for call in calls if (name := library(call.func)) in CUDA_AMP]
        chosen = Chosen(facts, calls if used else ())
        for call, name in used:
            found = chosen.in_reach(call)
            if found is None or _is_switched(facts, call, name) or is_asked_for(facts.syntax, call):
                continue
            move, device = found
            if not _is_cuda(facts, device, call):
                yield self._finding(facts, call, name, move, device)

    def _finding(
        self, facts: Facts, call: ast.Call, name: str, move: ast.Call, device: ast.expr
    ) -> Finding:
        where = f"`{short(device)}`"
        return Finding(
            self.code,
            self.name,
            f"`{name}` is for CUDA, but line {facts.line_of(move)} moves to {where}, which may be "
            "another place",
            facts.span(call),
            (Related(f"is moved to {where} here", facts.span(move)),),
            facts.syntax.scope_name(call),
            fix=of_device(facts, call, name, device) if facts.fixable else None,
        )


def _is_switched(facts: Facts, call: ast.Call, name: str) -> bool:
    """Whether it is told to do nothing, or to ask for devices first."""
    position = CUDA_AMP[name].index(_SWITCH)
    given = by_keyword(call, _SWITCH)
    values = facts.derived(Proof).values
    for value in given or call.args[position : position + 1]:
        meant = values.values(value.id, value) if isinstance(value, ast.Name) else []
        if any(_is_off(each) or about_devices(each) for each in (value, *meant)):
            return True
    return False


def _is_off(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def _is_cuda(facts: Facts, device: ast.expr, place: ast.AST) -> bool:
    """Whether a variable certainly is CUDA: then nothing else has to be thought of."""
    if not isinstance(device, ast.Name):
        return False
    given = facts.derived(Proof).values.values(device.id, place)
    return bool(given) and all(map(names_cuda, given))
