"""TDL013: an array is made of a tensor that is on the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.host_copies import brought_to_host
from torchdev_lint.placement.evidence.failures import CONVERSION, MEETING, is_tried
from torchdev_lint.placement.evidence.older_programs import OlderProgram
from torchdev_lint.placement.facts.conversions import Conversion, LengthsOnHost
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import called_from, line_in_file
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class NumpyOnDevice(Rule):
    """`model(x).numpy()`, `np.mean(losses)` or `plt.plot(losses)` without `.cpu()`."""

    code = "TDL013"
    name = "numpy-on-device"
    summary = "NumPy, or a library built on it, is handed a tensor that is on the accelerator."
    reason = """\
NumPy's arrays are in the memory of the CPU. `tensor.numpy()` copies nothing, so it takes only a
tensor that is there; for any other it raises
`TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to
host memory first.` The same goes for what makes an array of what it is handed: functions of NumPy,
SciPy, Matplotlib, pandas and scikit-learn, also of a list of tensors, as in `np.mean(losses)`;
methods of scikit-learn's estimators, as in `PCA(2).fit_transform(codes)`; for what several
elements of an array are filled with, as in `scores[i : i + 4] = model(batch)`; and for what is
computed with an array, as in `model(batch) * spread`, which NumPy does.

The lengths that `pack_padded_sequence` is given have to be on the CPU as well, wherever the
sequences are: `RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor`. What is sorted
along with them may need a copy on the device of its own.

`tensor.cpu()` copies the tensor, and gives a tensor that is on the CPU already as it is. One that
needs gradients has to be taken out of the graph as well, on any device: `tensor.detach().cpu()`.

`tensor.item()`, `tensor.tolist()`, `float(tensor)` and `tensor.numpy(force=True)` copy by
themselves. So does a function of NumPy that calls a method of the tensor's own, and makes no array:
`np.shape(tensor)`, `np.squeeze(tensor)`. For a single element of an array, as in
`losses[3] = loss`, NumPy asks for a number, which a tensor gives wherever it is.

Reported is what is certainly on the accelerator: what the code moves there, and what a model gives
that it moves. Where a function of another file makes the array of what it is called with, the call
is told: `accuracy(model(x), y)`, or `encoder(words, lengths)` where the encoder packs by them. In
the methods of a module that is only what the module itself computes, and only if the project moves
it to an accelerator; what they are handed may be on the CPU. Lengths are reported there if the
method itself counts or moves them. Where it counts them of what it feeds to its own layers, or
computes with what these give, as in `out * mask.unsqueeze(-1)`, it fails on any accelerator, and
nobody has to move it in sight; so it does where it computes so with lengths that it is handed.

In the first reading, of 332 repositories, 20 of 24 findings were right, when it was off by default.
What was false there is silent now. In the second, of 254 repositories and 52 packages, there were
four: two are right, one is an attribute that is no tensor, which is silent now, and one is false.
A variable that is converted several times gives as many findings.
Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)

with torch.no_grad():
    scores = model(torch.randn(8, 4, device=device))
print(scores.numpy())
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)

with torch.no_grad():
    scores = model(torch.randn(8, 4, device=device))
print(scores.cpu().numpy())
"""

    fix_safety = """\
The tensor is brought to the CPU right where the array is made, with `.cpu()`, or `.detach().cpu()`
where it may need gradients; of a list each tensor is. Nothing else changes, and what is on the CPU
already is not copied: that is safe. Losses that `np.sum` adds, and of which the program asks for
gradients, are added by `sum`, where they are: none go through an array. Lengths are brought there
where they are handed to what packs by them in another file, which may need them on the accelerator
as well: that is unsafe.
"""

    triggers = frozenset({Trigger.ARRAY, Trigger.LAYER})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each call that makes arrays of what is on the accelerator."""
        for conversion in facts.of(Conversion):
            node = conversion.node
            if not conversion.is_certain(facts.derived(Proof)):
                continue
            if _is_made_of_any(facts, conversion) or _is_left_on_host(facts, conversion):
                continue
            errors = CONVERSION if conversion.makes_array else MEETING
            if not is_tried(facts.syntax.around(node), node, errors):
                yield self._finding(facts, conversion)

    def _finding(self, facts: Facts, conversion: Conversion) -> Finding:
        first, taker = conversion.parts[0], conversion.node
        where = "holds tensors on the accelerator" if first.is_list else "is on the accelerator"
        if conversion.elsewhere is not None and not conversion.makes_array:
            event = f"lengths are taken only from the CPU {line_in_file(conversion.elsewhere)}"
        elif conversion.elsewhere is not None and isinstance(taker, ast.Call):
            made = "arrays of them" if first.is_list else "an array of it"
            if conversion.computed:
                made = "an array of what it computes of it"
            event = f"`{short(taker.func)}` makes {made} {line_in_file(conversion.elsewhere)}"
        elif isinstance(taker, ast.BinOp):
            array = taker.right if taker.left is first.node else taker.left
            event = f"the array `{short(array)}` is computed only with what is on the CPU"
        elif isinstance(taker, ast.Subscript):
            event = f"the array `{short(taker.value)}` is filled only with what is on the CPU"
        elif not conversion.makes_array:
            event = f"`{short(taker.func)}` takes lengths only from the CPU"
        elif _is_asked_for(conversion):
            event = "`.numpy()` takes only what is on the CPU"
        else:
            event = f"`{short(taker.func)}` makes arrays only of what is on the CPU"
        message = f"`{short(first.node)}` {where}, and {event}"
        return Finding(
            self.code,
            self.name,
            message,
            facts.span(first.node),
            (*_made_elsewhere(conversion), *called_from(conversion.shown)),
            scope=conversion.scope,
            fix=brought_to_host(facts, conversion) if facts.fixable else None,
            assumes=conversion.model,
            if_shown=bool(conversion.model) and not conversion.fed,
        )


def _is_left_on_host(facts: Facts, conversion: Conversion) -> bool:
    """Whether lengths are only taken to be moved, and some code of the project leaves them."""
    is_left = facts.find(LengthsOnHost, conversion.node) is not None
    return is_left and bool(conversion.model) and not conversion.fed


def _is_made_of_any(facts: Facts, conversion: Conversion) -> bool:
    """Whether a library makes an array of a tensor that its PyTorch brings to the CPU itself."""
    if not conversion.makes_array or _is_asked_for(conversion):
        return False
    return facts.derived(OlderProgram).makes_arrays_itself


def _is_asked_for(conversion: Conversion) -> bool:
    """Whether the tensor itself is asked for the array: `x.numpy()`."""
    asked = getattr(conversion.node, "func", None)
    return conversion.parts[0].node is getattr(asked, "value", None)


def _made_elsewhere(conversion: Conversion) -> Iterator[Related]:
    """Yield where the array is made, if that is in another file."""
    site = conversion.elsewhere
    if site is not None:
        event = "an array is made" if conversion.makes_array else "sequences are packed by it"
        yield Related(f"{event} here", site.span, site.path)
