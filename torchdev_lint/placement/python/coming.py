"""What an object of the project gives, which comes from the expression that asks for it."""

from __future__ import annotations

from collections.abc import Callable

from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import Bundle, Choice, Place, Tensor, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def come_from(
    run: Run,
    value: Value,
    made: Origin,
    stays: Callable[[Origin], bool],
    key: object = None,
) -> Value:
    """Return what is given, where what of it is on the host comes from an expression.

    Args:
        value: what is given.
        made: the origin that it has from there on.
        stays: whether something keeps the origin that it has.
        key: which part of what is given it is.
    """
    if isinstance(value, (Tensor, Bundle)):
        if value.place is not Place.HOST or Mood.DOUBT in run.moods:
            return value
        if value.origin is not None and stays(value.origin):
            return value
        return replace(value, origin=replace(made, key=key), entered=None)
    if isinstance(value, (Choice, Sequence, Mapping)):
        parts = enumerate(parts_of(value))
        return rebuilt(value, [come_from(run, p, made, stays, (key, i)) for i, p in parts])
    return value
