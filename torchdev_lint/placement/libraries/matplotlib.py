"""Matplotlib: figures, and their axes, which draw as the functions of pyplot do.

Of what there are several, an array is handed out, or a single one where there is just one: they
are told apart by nobody here, so that each of them stands for the whole array as well.
"""

from __future__ import annotations

from torchdev_lint.catalog.arrays import AXES, FIGURE, GIVES_AXES, GIVES_FIGURE
from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import Library, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*GIVES_AXES)
def _axes(call: Call) -> Value:
    return Library(AXES)


@handles(*GIVES_FIGURE)
def _figure(call: Call) -> Value:
    return Library(FIGURE)


@handles("matplotlib.pyplot.subplots")
def _both(call: Call) -> Value:
    return sequence([Library(FIGURE), Library(AXES)], SequenceKind.TUPLE)
