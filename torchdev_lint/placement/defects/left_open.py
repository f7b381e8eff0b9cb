"""What a file leaves open that others may tell: what they call its functions with."""

from __future__ import annotations

from collections.abc import Iterable

from torchdev_lint.placement.domain.values import (
    NO_TENSORS,
    Bundle,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.events import LeftToUsers
from torchdev_lint.placement.run import Run


def leave_to_users(run: Run, values: Iterable[Value]) -> None:
    """Note it if some values may be tensors anywhere, for all that an entry point tells.

    Args:
        values: what decides whether something is wrong.
    """
    if run.entry is None or run.is_elsewhere:
        return
    if any(_is_open(option) for value in values for option in alternatives(value)):
        run.note(LeftToUsers(run.entry))


def _is_open(value: Value) -> bool:
    if isinstance(value, (Tensor, Bundle)):
        return value.place is Place.UNKNOWN
    return isinstance(value, Unknown) and value not in NO_TENSORS
