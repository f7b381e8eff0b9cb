"""TDL001: the result of a tensor's move is thrown away."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.change import Fix
from torchdev_lint.finding import Finding
from torchdev_lint.fixes.keeping import kept
from torchdev_lint.placement.facts.events import Discard, NoTensor
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class DiscardedMove(Rule):
    """`x.to(device)` as a statement."""

    code = "TDL001"
    name = "discarded-move"
    summary = "The result of a tensor's `.to()`, `.cuda()` or cast is thrown away."
    reason = """\
`Tensor.to()` and its kin return a new tensor and leave the old one where it is, unlike
`Module.to()`, which moves in place. A statement that throws the result away does nothing,
and the tensor meets the accelerator on the wrong device (or with the wrong dtype) later. Where the
tensor is there already, nothing fails, and the statement can go.

The same goes for an object of the project's own whose method gives a moved copy, as
`return Batch(self.images.to(device))` does, and certainly changes nothing.

Modules, and structures that move in place, such as the encoding of a tokenizer, are not reported,
nor is the move of a tensor that the code made itself and uses for nothing else: that warms the
device up. Nothing is said of what may be one of these.
Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
"""
    bad = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
images = torch.randn(8, 3)
images.to(device)
print(images.device)
"""
    good = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
images = torch.randn(8, 3)
images = images.to(device)
print(images.device)
"""
    fix_safety = """\
Assigning the result is safe where what it is assigned to is certainly a tensor, and the device
(or dtype) certainly what is meant. It is unsafe where the function brings other tensors to the
CPU, as what was left there may be met there on purpose; for a tensor that is trained, which is
made a leaf anew; where a container has to be built anew; and for an object of the project's own.
"""

    triggers = frozenset({Trigger.MOVE})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each tensor whose move or cast is thrown away."""
        for discard in facts.of(Discard):
            if facts.find(NoTensor, discard.node) is not None:
                continue
            target = short(discard.target)
            yield Finding(
                self.code,
                self.name,
                f"the result of `{target}.{discard.method}()` is thrown away, "
                f"and `{target}` {discard.lost}",
                facts.span(discard.node),
                scope=discard.scope,
                fix=self.fix(facts, discard) if facts.fixable else None,
            )

    def fix(self, facts: Facts, discard: Discard) -> Fix | None:
        """Keep what the move gives."""
        return kept(facts, discard)
