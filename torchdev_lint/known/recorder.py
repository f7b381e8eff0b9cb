"""Keeps what the expressions of a file gave while the analysis ran them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import Instance, Value, alternatives
from torchdev_lint.placement.run import Run

MAX_SEEN = 16
"""How many different results of one expression are kept; of more it says nothing to list them."""


@dataclass(frozen=True)
class Seen:
    """What an expression gave once.

    Args:
        value: that.
        objects: what was known then of the objects that it may be, but for their attributes.
        entry: the function that was called first, None for the module's own code.
    """

    value: Value
    objects: Mapping[int, Obj]
    entry: ast.AST | None

    def obj(self, instance: Instance) -> Obj | None:
        """What was known of an object then."""
        return self.objects.get(instance.ref)


@dataclass
class Recorder:
    """Is told what each expression gives, and keeps that of the file that is analysed.

    Args:
        seen: what each expression gave, in the order in which that was first seen.
    """

    seen: dict[ast.AST, list[Seen]] = field(default_factory=dict)

    def __call__(self, run: Run, node: ast.AST, value: Value) -> None:
        """Keep what an expression gives, unless it has given the same before."""
        if run.is_elsewhere:
            return
        heap = run.env.heap  # `run.obj` would count it as read by the code
        refs = [option.ref for option in alternatives(value) if isinstance(option, Instance)]
        objects = {ref: heap[ref].with_attributes({}) for ref in refs if ref in heap}
        seen, new = self.seen.setdefault(node, []), Seen(value, objects, run.entry)
        if len(seen) < MAX_SEEN and new not in seen:
            seen.append(new)

    def values(self, node: ast.AST) -> list[Value]:
        """Return what an expression may give; nothing where it was never evaluated."""
        found = [option for seen in self.seen.get(node, ()) for option in alternatives(seen.value)]
        return list(dict.fromkeys(found))
