"""Which values that take part may be on the CPU, where no finding says it for certain."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set

from torchdev_lint.known.known import Known, Nature
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.source.span import Span
from torchdev_lint.tracebacks.scene import Operand, Scene

_NOT_AT_FAULT = frozenset({Nature.DEVICE, Nature.CODE, Nature.STATELESS, Nature.PLAIN})
"""What takes part in an operation and can't be in the wrong place."""


def leads(
    scenes: Sequence[Scene], told_of: Set[tuple[Scene, Operand]]
) -> tuple[Scene, list[Operand]]:
    """Return what takes part in a call and may be on the CPU, the likely ones first.

    What certainly is comes before what is in some case, and that before what isn't known; of those
    that come from one place the first. The call is the innermost that has any.

    Args:
        scenes: the calls, the innermost first.
        told_of: what findings have been told about already, of which call.
    """
    known_from = {(scene.file, operand.trail.last.span) for scene, operand in told_of}
    for scene in scenes:
        found: dict[Span, Operand] = {}
        for operand in sorted(scene.operands, key=_likelihood):
            end = operand.trail.last.span
            if (scene.file, end) not in known_from and not is_cleared(operand.known):
                found.setdefault(end, operand)
        if found:
            return scene, list(found.values())
    return scenes[0], []


def is_cleared(known: Known) -> bool:
    """Whether a value is certainly not what is in the wrong place."""
    return known.nature in _NOT_AT_FAULT or known.places == {Place.ACCELERATOR}


def _likelihood(operand: Operand) -> tuple[int, bool]:
    """How likely a value is at fault, and whether it is computed only there."""
    return _doubt(operand.known), isinstance(operand.node, ast.Call)


def _doubt(known: Known) -> int:
    if Place.HOST in known.places:
        return int(known.places != {Place.HOST})
    return 2 if known.is_open else 3
