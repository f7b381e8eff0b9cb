"""TDL011: what the code has put in different places meets in one operation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.change import Fix
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.generators import drawn_there
from torchdev_lint.fixes.host_copies import followed_by_second, partner_brought_to_host
from torchdev_lint.fixes.put_back import moved_there_again
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.facts.draws import Draw
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.placement.facts.numbered import Split
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import assumed_in, line_in_file, related_places
from torchdev_lint.rules.wording import spare, whole
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class DeviceConflict(Rule):
    """`scores.cpu() == labels`, where `labels` are on the accelerator."""

    code = "TDL011"
    name = "device-conflict"
    summary = "What the code has moved to the CPU, or another accelerator, meets what it has not."
    reason = """\
`x.cpu()`, `x.to("cpu")` and `x.type(torch.LongTensor)` give a copy on the CPU, and leave `x` where
it is. Where that copy meets what stayed on the accelerator, PyTorch raises
`RuntimeError: Expected all tensors to be on the same device`, or, where it is indexed,
`indices should be either on cpu or on the same device as the indexed tensor (cpu)`.

The same goes for two accelerators: `cuda:0` and `cuda:1` are two places. They are told apart where
the code itself gives each its number, and so are the layers of a model that was put on several.

A random generator is in one place as well: `torch.Generator()` and `torch.manual_seed(0)` give one
of the CPU, whatever the default device is. What is drawn with it on an accelerator, or the other
way round, raises `RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'`. A
`DataLoader` with `shuffle=True` and `random_split` draw an order, and do so on the default device:
after `torch.set_default_device("cuda")` they need `generator=torch.Generator("cuda")`.

Some things are allowed to meet from different devices, and are not reported: an index on the CPU
picks from a tensor on any device (not the other way round); a tensor without dimensions, as a sum
gives, takes part in arithmetic as a number does; `copy_` and `x[:3] = y` copy from anywhere.

`torch.LongTensor` and its kin say a dtype and a place at once. To change only the dtype, say
`x.long()` or `x.to(torch.long)`.

`model.cpu()` is different: it moves the model itself. After `torch.save(model.cpu().state_dict(),
path)` the model is on the CPU, and the next call with a tensor on the accelerator raises, if it was
not moved again. Also where only some paths move it, as to save the best one: on these it fails. So
does `model.load_state_dict(state, assign=True)` with a state on the CPU: its tensors become the
model's own.

A function of another file that moves what it is given, `def evaluate(model, loader, device="cpu")`,
does so to the CPU where it is called without a device. With a model on the accelerator that call is
reported.

A module that remembers the device it was built with, `self.device = device`, brings its input there
in `forward` after it was moved elsewhere itself.

Reported is what the code has certainly moved to the CPU, whatever path leads there, where it meets
what is certainly on the accelerator. What a function of another file has moved there is reported
where it is called, or meets something then. Nothing is said of what an object keeps. What a module
does in its own methods is reported only if the project moves it to an accelerator, or it has parts
on several. A tensor that is made on the CPU, also with `device="cpu"`, and never moved is for other
rules to tell (TDL002, TDL005, TDL015, TDL016).

There is little to read of it: code that is published has mostly been run on an accelerator, where
this fails at once. In 880 repositories it has 13 findings, in six of them, and all are right.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""
    bad = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
inputs = torch.randn(8, 4, device=device)
labels = torch.randint(0, 2, (8,), device=device)

predicted = model(inputs).argmax(dim=1).cpu()
print((predicted == labels).float().mean())
"""
    good = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
inputs = torch.randn(8, 4, device=device)
labels = torch.randint(0, 2, (8,), device=device)

predicted = model(inputs).argmax(dim=1).cpu()
print((predicted == labels.cpu()).float().mean())
"""

    fix_safety = """\
The other side is copied to the CPU as well, right where the two meet: `labels.cpu()`. Only what
failed changes, and where all is on the CPU nothing does: that is safe. Where the other side is
written to, or is a model, the move to the CPU is left out, if nothing else gets to see what it
gives: that is unsafe, as what comes of it lives elsewhere then. Of two accelerators the second
value goes to where the first one is, or to where the layer is that it is passed to, which is
unsafe: it may as well be the other way round. A model that was brought to the CPU is moved back
before it is applied, or at once where another file applies it, which is unsafe as well.
A generator is made on the device on which is drawn with it, or that of the device takes the place
of what `torch.manual_seed` gives; this is unsafe: other numbers are drawn then.
"""

    triggers = frozenset({Trigger.APART})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each move to the CPU whose result meets the accelerator."""
        for meeting in facts.unexcused():
            if meeting.origin.kind in (OriginKind.BROUGHT, OriginKind.PUT_BACK):
                yield self._finding(facts, meeting)
        for split in facts.of(Split):
            yield self._split(facts, split)
        for draw in facts.of(Draw):
            yield self._draw(facts, draw)

    def _finding(self, facts: Facts, meeting: Meeting) -> Finding:
        origin, event = meeting.origin, _event(meeting)
        assumed = assumed_in(meeting)
        return Finding(
            self.code,
            self.name,
            f"{_brought(facts, meeting)} {event}",
            facts.span(meeting.node),
            (
                Related(_how(origin), facts.span(origin.node)),
                *_moved_elsewhere(origin),
                *_put_there(facts, meeting.partner_node),
                *(place for place in related_places(facts, whole(event), meeting) if place.path),
            ),
            meeting.scope,
            fix=self._fix(facts, meeting) if facts.fixable else None,
            assumes=assumed,
            if_shown=bool(assumed),
        )

    def _fix(self, facts: Facts, meeting: Meeting) -> Fix | None:
        if meeting.origin.kind is OriginKind.PUT_BACK:
            return moved_there_again(facts, meeting)
        return partner_brought_to_host(facts, meeting)

    def _split(self, facts: Facts, split: Split) -> Finding:
        sides = zip(split.operands, (split.other, split.origin), strict=True)
        first, second = (f"`{short(node)}` (on `{origin.label}`)" for node, origin in sides)
        event = f"{first} meets {second} in `{split.operation}`"
        if split.is_call:
            event = f"{second} is passed to {first}"
        puts = {facts.span(o.node): f"put on `{o.label}` here" for o in (split.other, split.origin)}
        return Finding(
            self.code,
            self.name,
            event,
            facts.span(split.node),
            tuple(Related(message, span) for span, message in puts.items()),
            split.scope,
            fix=followed_by_second(facts, split) if facts.fixable else None,
        )

    def _draw(self, facts: Facts, draw: Draw) -> Finding:
        """Tell that a generator and what is drawn with it are apart."""
        generator = "a generator" if draw.generator is None else f"`{short(draw.generator)}`"
        host, away = "the CPU", "the accelerator"
        place, other = (away, host) if draw.on_host else (host, away)
        why = ""
        if draw.by_default and draw.on_host:
            why = f", the default device{_set_where(draw)},"
        where = "" if draw.elsewhere is None else f" {line_in_file(draw.elsewhere)}"
        return Finding(
            self.code,
            self.name,
            f"`{short(draw.node.func)}` draws on {place}{why} with {generator} of {other}{where}",
            facts.span(draw.node),
            tuple(_set_there(draw)),
            draw.scope,
            fix=drawn_there(facts, draw) if facts.fixable and not where else None,
        )


def _brought(facts: Facts, meeting: Meeting) -> str:
    """What is on the CPU, and what has brought it there, as a message says it."""
    origin = meeting.origin
    if origin.by_default and isinstance(origin.node, ast.Call):
        called = short(origin.node.func)
        return f"`{called}` leaves `{origin.label}` at the CPU: what it moves"
    is_here = origin.node is meeting.host_node
    where = "here" if is_here else f"on line {facts.line_of(origin.node)}"
    if _is_of_round_before(facts, meeting):
        where += ", in the round before"
    if origin.kind is OriginKind.BROUGHT and origin.elsewhere is not None:
        where = line_in_file(origin.elsewhere)
    moved = "perhaps moved" if meeting.perhaps else "moved"
    inside, host = "", meeting.host_node
    if _is_inside(meeting) and isinstance(origin.node, ast.Call):
        inside = f"in `{short(origin.node.func)}`, "
        if origin.kind is OriginKind.PUT_BACK and origin.elsewhere is None:
            inside, host = "", getattr(origin.node.func, "value", host)
    return f"{inside}`{short(host)}` ({moved} to the CPU {where})"


def _is_inside(meeting: Meeting) -> bool:
    """Whether all happens in the function of another file that is called."""
    return meeting.elsewhere is not None and meeting.origin.node is meeting.node


def _event(meeting: Meeting) -> str:
    """What happens to what is on the CPU, as a message says it."""
    partner = f"`{meeting.partner_text}` (on the accelerator)"
    where = "" if meeting.elsewhere is None else f" {line_in_file(meeting.elsewhere)}"
    if meeting.origin.kind is OriginKind.PUT_BACK and not meeting.module_call:
        return f"is applied to {partner}{where}"
    in_sight = spare(where) if where else ""
    if meeting.module_call:
        return f"is passed to {partner}{in_sight}"
    return f"meets {partner}{spare(f' in `{meeting.operation}`')}{in_sight}"


def _how(origin: Origin) -> str:
    """What is said of the place that has brought something to the CPU."""
    if origin.by_default:
        return f"called without `{origin.label}` here"
    if origin.kind is OriginKind.BROUGHT and origin.elsewhere is not None:
        return f"given by `{origin.label}` here"
    return f"moved to the CPU by `{origin.label}` here"


def _set_where(draw: Draw) -> str:
    """Where another file sets the default device, as a message says it."""
    return "" if draw.brought is None else f" (set {line_in_file(draw.brought)})"


def _set_there(draw: Draw) -> Iterator[Related]:
    """Yield where another file sets the default device, or draws."""
    if draw.brought is not None:
        yield Related("the default device is set here", draw.brought.span, draw.brought.path)
    if draw.elsewhere is not None:
        yield Related("it draws here", draw.elsewhere.span, draw.elsewhere.path)


def _is_of_round_before(facts: Facts, meeting: Meeting) -> bool:
    """Whether a module is moved behind where it is applied, as in a loop."""
    moved, met = meeting.origin.node, meeting.node
    if meeting.origin.kind is not OriginKind.PUT_BACK:
        return False
    is_later = facts.span(moved) > facts.span(met)
    return is_later and facts.syntax.scope(moved) is facts.syntax.scope(met)


def _moved_elsewhere(origin: Origin) -> Iterator[Related]:
    """Yield where another file moves a module to the CPU."""
    if origin.elsewhere is not None:
        yield Related("moved to the CPU here", origin.elsewhere.span, origin.elsewhere.path)


def _put_there(facts: Facts, partner: ast.AST) -> Iterator[Related]:
    """Yield where a variable gets what was moved, or made, on the accelerator."""
    if not isinstance(partner, ast.Name):
        return
    targets = facts.derived(Proof).bindings.reaching(partner.id, partner)
    statements = [facts.syntax.statement(target) for target in targets if target is not None]
    values = [statement.value for statement in statements if isinstance(statement, ast.Assign)]
    spans = {facts.span(v) for v in values if isinstance(v, ast.Call) and _says_where(v)}
    for span in sorted(spans):
        yield Related(f"`{partner.id}` is put on the accelerator here", span)


def _says_where(call: ast.Call) -> bool:
    """Whether a call says on which device it puts what it gives."""
    is_move = isinstance(call.func, ast.Attribute) and call.func.attr in MOVES_TO_DEVICE
    return is_move or bool(by_keyword(call, "device"))
