"""TDL004: a batch from a data loader reaches the model without having been moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.change import Fix
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.inputs import moved_batch
from torchdev_lint.placement.domain.origins import Origin, OriginKind, Site
from torchdev_lint.placement.facts.events import PartMoved
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import assumed_in, line_in_file
from torchdev_lint.rules.wording import spare, whole
from torchdev_lint.syntax.names import dotted, short
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger


class BatchNeverMoved(Rule):
    """`for images, labels in loader: model(images)`."""

    code = "TDL004"
    name = "batch-never-moved"
    summary = "A batch from a data loader meets the model or its output without having been moved."
    reason = """\
A `DataLoader` yields tensors on the CPU (pinned at most), whatever device the model is on.
Every part of a batch that meets the model, its output or a loss has to be moved first, or the
call raises `RuntimeError: Expected all tensors to be on the same device`. A loop over an object
whose class in another file of the project says what it gives, by `__iter__` and `__next__`, counts
as well, and one over anything else if it moves a part of what it takes each time: the other parts
come from the same place. Where the loop is in another file, and moves nothing, the loader is
reported that is handed to it.

Nothing is reported that is moved on some way to the model, or whose story is partly in another
file: what a model is called with whose class is not in sight, as it may move its input itself
(models of well-known libraries don't), and batches whose data set or `collate_fn` may put them on
a device.
Source: https://docs.pytorch.org/docs/stable/data.html
"""
    bad = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 2).to("cuda")
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
for (images,) in loader:
    print(model(images))
"""
    good = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(4, 2).to("cuda")
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
for (images,) in loader:
    print(model(images.to("cuda")))
"""
    fix_safety = """\
The part of the batch is moved as its neighbours are, where the loop takes it. That is safe where
it is certainly a tensor, or is used as one on every path, and the device is certainly one. It is
unsafe where the batch is a structure that has to be built anew, or the program may also use the
part on the CPU.
"""

    triggers = frozenset({Trigger.LOADER, Trigger.PART})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each part of a batch that meets the accelerator unmoved."""
        for meeting in facts.unexcused():
            origin = meeting.origin
            if origin.kind is not OriginKind.BATCH:
                continue
            if origin.elsewhere is not None:
                if facts.find(PartMoved, origin.root.node) is None:  # else it is told there
                    yield self._in_another_file(facts, meeting, origin.elsewhere)
                continue
            if _is_fed_as_it_is(facts, meeting):
                continue
            start, use = facts.span(origin.node), facts.span(meeting.host_node)
            name = short(meeting.host_node)
            if meeting.module_call:
                model = f"{spare('the model ')}`{meeting.partner_text}`"
                event = f"is passed to {model}{spare(' on the accelerator')}"
            else:
                partner = f"`{meeting.partner_text}` (on the accelerator)"
                event = f"meets {partner}{spare(f' in `{meeting.operation}`')}"
            article, giver = _giver(origin)
            target = _forgotten_target(facts, meeting)
            if target is not None:
                name = origin.label if isinstance(target, ast.Name) else name
                related = Related(whole(event), use)
                source, event, span = (
                    "",
                    f"{event} on line {facts.line_of(meeting.host_node)}",
                    facts.span(target),
                )
            else:
                source, span = f" (line {facts.line_of(origin.node)})", use
                is_given = isinstance(origin.node, ast.arg)
                how = "another file's loop hands over what" if is_given else "it"
                related = Related(f"{how} comes from the {giver} here", start)
            yield Finding(
                self.code,
                self.name,
                f"`{name}` comes unmoved from {article} {giver}{source} and {event}",
                span,
                (related,),
                meeting.scope,
                self.fix(facts, meeting) if facts.fixable else None,
                assumes=assumed_in(meeting),
            )

    def _in_another_file(self, facts: Facts, meeting: Meeting, loop: Site) -> Finding:
        """What is said of a loader that is handed to code of another file, which moves nothing."""
        node = meeting.origin.node
        return Finding(
            self.code,
            self.name,
            f"`{short(node)}` gives batches on the CPU; what is taken of them "
            f"{line_in_file(loop)} meets the accelerator unmoved",
            facts.span(node),
            (Related("taken here, and not moved", loop.span, loop.path),),
            meeting.scope,
            assumes=assumed_in(meeting),
        )

    def fix(self, facts: Facts, meeting: Meeting) -> Fix | None:
        """Move the part where the loop, or an assignment, takes it out of the batch."""
        return moved_batch(facts, meeting)


def _is_fed_as_it_is(facts: Facts, meeting: Meeting) -> bool:
    """Whether a method gives its own module another part of the batch, which nothing moves.

    That would fail before, but for a data set whose tensors have been moved.
    """
    target = meeting.origin.root.node
    while isinstance(parent := facts.syntax.parent(target), (ast.Tuple, ast.List)):
        target = parent
    others = [part for part in walk(target) if isinstance(part, ast.Name)]
    names = {part.id for part in others} - {meeting.origin.label}
    loop, partner = facts.syntax.parent(target), root_name(meeting.partner_node)
    if not names or loop is None or any(facts.find(PartMoved, part) for part in others):
        return False
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(bound, ast.Name) and bound.id == partner for bound in node.targets)
        and isinstance(node.value, ast.Call)
        and dotted(node.value.func) in {"self", "self.forward"}
        and any(root_name(given) in names for given in node.value.args)
        for node in walk(loop)
    )


def _giver(origin: Origin) -> tuple[str, str]:
    """What gives a batch, with its article."""
    if origin.root.inferred:
        return "a", "partly moved batch"
    return ("an", "iterator") if origin.iterated or origin.root.iterated else ("a", "data loader")


def _forgotten_target(facts: Facts, meeting: Meeting) -> ast.AST | None:
    """What the loop binds, if nothing of the batch is moved: then the loop is to blame.

    None if a part was forgotten, or was taken out of the batch later: then its use is.
    """
    origin = meeting.origin
    if origin.scope != meeting.scope:
        return None
    whole = origin.root.node
    while isinstance(parent := facts.syntax.parent(whole), (ast.Tuple, ast.List)):
        whole = parent
    if any(facts.find(PartMoved, part) is not None for part in ast.walk(whole)):
        return None
    if origin.whole is None:
        return origin.node if origin.key is None else None
    names = [n for n in ast.walk(whole) if isinstance(n, ast.Name) and n.id == origin.label]
    return names[0] if names else None
