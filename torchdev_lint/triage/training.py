"""Which functions train something in a loop, going by names."""

from __future__ import annotations

from collections.abc import Iterable

from torchdev_lint.catalog.training import BACKWARD, CLEARS_GRADIENTS
from torchdev_lint.triage.scope import Scope

_MARKS = frozenset({BACKWARD, CLEARS_GRADIENTS})


def training(scopes: Iterable[Scope]) -> list[Scope]:
    """Return the functions that mention what each step of a training does."""
    return [scope for scope in scopes if not _MARKS.isdisjoint(scope.mentions)]
