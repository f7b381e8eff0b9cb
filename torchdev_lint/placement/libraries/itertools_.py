"""itertools."""

from __future__ import annotations

from torchdev_lint.placement.domain.joins import choice, iterator
from torchdev_lint.placement.domain.values import Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.iteration import element_of


@handles("itertools.islice", "itertools.cycle")
def _first(call: Call) -> Value | None:
    return call.get(0)


@handles("itertools.takewhile", "itertools.dropwhile")
def _second(call: Call) -> Value | None:
    return call.get(1)


@handles("itertools.chain")
def _chain(call: Call) -> Value | None:
    parts = [element_of(call.run, value, call.node) for value in call.arguments.values()]
    return iterator(choice(parts)) if parts else None
