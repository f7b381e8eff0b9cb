"""TDL905: what works with CUDA, or on the CPU, and not with the accelerator at hand, or not yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.devices import MPS_TYPE
from torchdev_lint.catalog.operations import (
    COUNTED_FIRST,
    ELEMENTWISE,
    NEUTRAL_FUNCTIONS,
    SAME_RANK_CASTS,
)
from torchdev_lint.catalog.training import SYNCHRONIZES
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.arguments import without_argument, without_method
from torchdev_lint.placement.evidence.bound_to_cuda import leaves
from torchdev_lint.placement.evidence.flags import about_devices
from torchdev_lint.placement.evidence.named_devices import Apple
from torchdev_lint.placement.facts.cuda_only import DoubleThere, EarlyRead, Pinned
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component, short
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger

_PIN = "pin_memory"
_COMPUTING = (NEUTRAL_FUNCTIONS | SAME_RANK_CASTS | ELEMENTWISE) - COUNTED_FIRST
"""Methods and functions that wait for nothing: on an accelerator they are put in its queue."""


class AcceleratorDtype(Rule):
    """`DataLoader(TensorDataset(x.to(device)), pin_memory=True)`."""

    code = "TDL905"
    name = "accelerator-dtype"
    summary = "What only the CPU or CUDA can do, or not at once: pinning, copies, float64 on MPS."
    reason = """\
Three things work on the CPU, or with CUDA, and fail or give garbage on an accelerator:

- **Pinning what is there already.** Pinned memory is memory of the CPU, from which a copy to an
  accelerator needn't be waited for. A tensor on the accelerator has none: `.pin_memory()` raises
  `RuntimeError: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned`. So does
  a `DataLoader` with `pin_memory=True` at its first batch, if its samples are on the accelerator:
  its data set moves or keeps them there, or its `collate_fn` does. `torch.zeros(n, device=device,
  pin_memory=True)` raises `Only dense CPU tensors can be pinned`. Without an accelerator the loader
  only warns, and goes on.
- **Reading a copy that nobody has waited for.** `x.to("cpu", non_blocking=True)` gives a tensor in
  pinned memory, and goes on before anything has arrived in it. Who reads that at once, by
  `.numpy()`, `.item()`, `.tolist()`, `print`, `if` or an operation, reads what was there before.
  Nothing raises; most often the copy is fast enough, and sometimes it isn't. Don't say
  `non_blocking`, or wait: `torch.cuda.synchronize()`, or an event that is recorded behind the copy.
- **`float64` on MPS.** The accelerators of Apple have no numbers of double precision: `TypeError:
  Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64`.
  Reported is a tensor that is certainly of double precision, and goes where the file itself says
  that it may be `mps`.

Nothing is reported of a copy if anything is called before it is read that may wait, nor of an array
of it in a file that synchronizes; nothing of pinning where the device is what a caller says, which
may be the CPU, nor behind a question about devices that leaves; nothing of doubles in a file that
compares a device with `mps`.

`.half()` on the CPU is no part of this. In PyTorch 2.13 nearly all operations take it there. Of 702
entries in PyTorch's list of operations for its own tests, 32 are said to take it with CUDA only;
25 of these do fail on the CPU: the Fourier transforms, `avg_pool3d`, `multi_margin_loss`,
`multilabel_margin_loss`, `rrelu` while it trains, an antialiased `interpolate` and two kernels of
attention that nobody calls by name. That is too little to tell a program by.

It is off by default, as there is hardly anything to read: who pins what is on an accelerator finds
out at once. In its first reading, the Python files of 793 repositories and 30 released packages
were searched for the words of it; in the 286 files of 84 of them that may have some of it, it had
three findings: an array that is made of a copy at once, which is right, and two tensors that were
pinned, one in a module that makes batches, one behind a question for its device, which were false
and are silent now. That such copies go wrong is on record: PyTorch's issue 86264, and Lightning's
11287, where the last predictions were written as zeros.

Source: https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html and, for MPS,
https://github.com/pytorch/pytorch/issues/122602
"""
    bad = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(8, 4, device=device))
for (x,) in DataLoader(data, batch_size=4, pin_memory=True):
    print(x.sum())
"""
    good = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(8, 4, device=device))
for (x,) in DataLoader(data, batch_size=4):
    print(x.sum())
"""
    fix_safety = """\
`pin_memory=True`, `.pin_memory()` or `non_blocking=True` is left out. All are safe: the first two
can only raise there, and a copy that is waited for holds the same numbers, sooner or later. There
is none for doubles: whether `float32` will do, or the CPU, is for the code to say.
"""

    triggers = frozenset({Trigger.CUDA_ONLY})
    opt_in = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each call that asks for too much."""
        for pinned in facts.of(Pinned):
            if not _is_left_before(facts, pinned):
                yield self._pinned(facts, pinned)
        early = facts.of(EarlyRead)
        reads = {event.read for event in early}
        for event in early:
            if _is_at_once(facts, event, reads):
                yield self._early(facts, event)
        for double in facts.of(DoubleThere):
            if facts.derived(Apple).may_be(double.device):
                yield self._double(facts, double)

    def _pinned(self, facts: Facts, event: Pinned) -> Finding:
        node, function = event.node, event.node.func
        if isinstance(function, ast.Attribute) and function.attr == _PIN:
            what = f"`{short(function.value)}` is"
            fix = without_method(facts, node)
        else:
            what = f"`{short(function)}` is told to pin what is"
            fix = without_argument(facts, node, _PIN)
        return Finding(
            self.code,
            self.name,
            f"{what} on the accelerator, and only memory of the CPU can be pinned",
            facts.span(node),
            scope=event.scope,
            fix=fix if facts.fixable else None,
        )

    def _early(self, facts: Facts, event: EarlyRead) -> Finding:
        copy = event.node
        assert isinstance(copy, ast.Call)
        return Finding(
            self.code,
            self.name,
            f"`{short(copy)}` doesn't wait until the copy is there, and line"
            f" {facts.line_of(event.read)} reads it at once",
            facts.span(copy),
            (Related("is read here", facts.span(event.read)),),
            event.scope,
            fix=without_argument(facts, copy, "non_blocking") if facts.fixable else None,
        )

    def _double(self, facts: Facts, event: DoubleThere) -> Finding:
        assert isinstance(event.device, ast.expr)
        return Finding(
            self.code,
            self.name,
            f"`{short(event.device)}` may be `{MPS_TYPE}`, which has no `float64`",
            facts.span(event.node),
            scope=event.scope,
        )


def _is_left_before(facts: Facts, event: Pinned) -> bool:
    """Whether the function goes on elsewhere for some device, before something is pinned in it."""
    first = facts.derived(_left_at).get(facts.syntax.scope(event.node))
    return first is not None and first < event.node.lineno


def _left_at(syntax: Syntax) -> dict[ast.AST, int]:
    """The line of the first question about devices in each function after which it may leave."""
    found: dict[ast.AST, int] = {}
    for part in walk(syntax.tree):
        if not isinstance(part, ast.If) or not (leaves(part.body) or leaves(part.orelse)):
            continue
        if about_devices(part.test):
            scope = syntax.scope(part)
            found[scope] = min(part.lineno, found.get(scope, part.lineno))
    return found


def _is_at_once(facts: Facts, event: EarlyRead, reads: set[ast.AST]) -> bool:
    """Whether a copy is certainly read before anything that may wait for it.

    Of an array of the same memory it isn't known when it is read: only a file that never waits for
    an accelerator reads it too early.
    """
    copy, order = event.node, facts.derived(Proof).order
    if event.shares and facts.derived(_synchronizes):
        return False
    within = set(walk(copy))
    behind = {event.read, *facts.syntax.around(event.read)}
    if event.read not in facts.syntax.around(copy) and not order.runs_before(copy, event.read):
        return False
    between = (n for n in order.between(copy, event.read) if n not in within and n not in behind)
    calls = (node for node in between if isinstance(node, ast.Call))
    return all(_waits_for_nothing(call) or call in reads for call in calls)


def _waits_for_nothing(call: ast.Call) -> bool:
    """Whether a call only puts something in the queue of an accelerator."""
    if by_keyword(call, "non_blocking"):
        return True
    return last_component(call.func) in _COMPUTING


def _synchronizes(syntax: Syntax) -> bool:
    """Whether some code of a file deals with work in the background."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in SYNCHRONIZES for node in walk(syntax.tree)
    )
