"""Which place a device argument names, in the code at hand."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Const,
    Library,
    Place,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.cuda import names_cuda
from torchdev_lint.syntax.names import path_of


def place_of(run: Run, value: Value, node: ast.AST | None) -> Place | None:
    """Return the place that a device argument names; None if it is no device.

    Where nothing is supposed of devices, a variable that holds CUDA's name is a setting like any
    other: only the name itself, in the very call, is CUDA.

    Args:
        value: what the argument holds.
        node: its expression.
    """
    place = place_named(value, node)
    if place is Place.UNKNOWN and value == UNKNOWN and run.supposing and node is not None:
        is_card = path_of(node) in run.file.cards_in(run.module.node)
        return Place.ACCELERATOR if is_card else place
    if run.supposing or place not in (Place.ACCELERATOR, Place.NAMED):
        return place
    if names_cuda(node):
        return Place.NAMED
    written = (Const, Library)
    is_set = place is Place.NAMED or any(isinstance(o, written) for o in alternatives(value))
    return Place.UNKNOWN if is_set else place
