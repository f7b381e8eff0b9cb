"""random, and what NumPy has of the same name."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.values import NONE, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.assignment import change


@handles("random.shuffle", "numpy.random.shuffle")
def _shuffle(call: Call) -> Value | None:
    """The elements of a list in another order."""
    whole, node = call.get(0), call.arguments.node(0)
    if isinstance(whole, Sequence) and isinstance(node, ast.expr):
        change(call.run, node, whole, Sequence(None, whole.element, whole.kind))
        return NONE
    return None
