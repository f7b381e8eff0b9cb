"""TDL101: what is loaded lands on the device it was saved from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from torchdev_lint.config.kinds import TEXT
from torchdev_lint.config.options import Option
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.loading import mapped
from torchdev_lint.placement.evidence.destinations import Destination, Destinations, Use
from torchdev_lint.placement.evidence.loading import Loading, may_be_unmapped
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.failing import Unreached
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.describe import line_in_file
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import short
from torchdev_lint.triage.triggers import Trigger


class LoadWithoutMapLocation(Rule):
    """`model.load_state_dict(torch.load(path))`."""

    code = "TDL101"
    name = "load-without-map-location"
    summary = "A checkpoint is read without `map_location`: it lands where it was saved from."
    reason = """\
`torch.load` puts every tensor back on the device it was saved from, unless `map_location` says
where to put it. Of a checkpoint that was saved on a GPU this means:

- on a machine without one it raises
  `RuntimeError: Attempting to deserialize object on a CUDA device but
  torch.cuda.is_available() is False`;
- on a machine with several, each process of a distributed run loads it to the GPU it was saved
  from, mostly the first one, which all of them use then;
- it takes the memory of that GPU once more, beside the model that it is copied into.

`with torch.device(...)` changes nothing about that. `load_state_dict` copies to where the
parameters are, so that `map_location="cpu"` is right for it wherever the model lives.

Reported are `torch.load`, `torch.jit.load`, `torch.hub.load_state_dict_from_url` and
`model_zoo.load_url`, if the file, or a function of the project that it is given to or that is given
it back, hands what they give to `load_state_dict`, copies it into parameters, uses it as a model,
or saves again what it asks for the state of a model. Nothing is said where a condition about
devices decides how to load, unless the branch without an accelerator reads the same file as the
other one, where `**kwargs` may hold `map_location`, in tests, of the shards of FSDP, nor in code
that needs a GPU anyway, unless it runs in several processes. Nor is anything said of a file that
the same program writes, of a download that the code itself names, of what is named in a script
that knows nothing of devices, and in a project whose files that may have written what is read bring
it to the CPU for that, write it of models that nothing moves, or are of programs that put nothing
on an accelerator, or that names none anywhere, or not where the folder has to do with it.
Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html
"""
    bad = """\
import torch
from torch import nn


def restore(path):
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load(path))
    return model
"""
    good = """\
import torch
from torch import nn


def restore(path):
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model
"""
    fix_safety = """\
`map_location` is safe to add where `load_state_dict` alone takes what is read, as that copies it
to where the parameters are. It is unsafe where the program may use what is read in another way:
it may rely on the device that was saved from.
"""

    options = (
        Option(
            TEXT,
            "What fixes write for `map_location`.",
            "the device in scope, else the CPU",
            """'"cpu"'""",
            "map_location",
        ),
    )
    triggers = frozenset({Trigger.READER, Trigger.CHECKPOINT})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each call whose value is used as the state of a model, or as one."""
        if not may_be_unmapped(facts.tree):
            return
        proof = facts.derived(Proof)
        destinations = Destinations(facts.syntax, proof, facts.file)
        loading = Loading(facts.syntax, proof, facts.file)
        unreached = facts.concluded(Unreached)
        for call, name in loading.unmapped():
            if unreached.has(call):
                continue
            found = destinations.of(call)
            shown = [each for each in found if each.use is not Use.OTHER]
            if not shown or loading.is_restored(call, shown):
                continue
            first = min(shown, key=partial(_from_where, facts, call))
            is_excused = loading.is_called_with_accelerator(call)
            is_excused = is_excused or loading.is_written_from_host(call, name)
            if _is_told_taker(first) or not is_excused:
                yield Finding(
                    self.code,
                    self.name,
                    _message(facts, name, first),
                    facts.span(call),
                    (_used_at(facts, first),),
                    facts.syntax.scope_name(call),
                    fix=mapped(facts, call, found, self._place()) if facts.fixable else None,
                    severity="warning",  # it fails by how the file was saved, and where it is read
                )

    def _place(self) -> str:
        return str(self.told("map-location", otherwise=""))


def _from_where(facts: Facts, call: ast.Call, to: Destination) -> tuple[bool, bool]:
    """Which place is rather told: what is read is used there, in the function that reads it."""
    is_near = not to.elsewhere and facts.syntax.scope(to.node) is facts.syntax.scope(call)
    return to.use is Use.SAVED, not is_near


def _is_told_taker(first: Destination) -> bool:
    """Whether the bracket is wrong: what takes the state is told where to read to, and raises."""
    return bool(by_keyword(first.node, "map_location"))


def _message(facts: Facts, name: str, first: Destination) -> str:
    """What is wrong, with the first place that shows what the file is for."""
    taker, site = short(first.node.func), first.elsewhere
    where = line_in_file(site) if site else f"on line {facts.line_of(first.node)}"
    if _is_told_taker(first):
        return f"`map_location` is given to `{taker}`, which doesn't take it: `{name}` does"
    return (
        f"`{name}` without `map_location` needs the device that was saved from, "
        f"for `{taker}` {where}"
    )


def _used_at(facts: Facts, first: Destination) -> Related:
    site = first.elsewhere
    if site is None:
        return Related("used here", facts.span(first.node))
    return Related("used here", site.span, site.path)
