"""How large values may become: so large that comparing and hashing them stays cheap.

A container is hashed and compared with all that it holds, at each call it is passed to and at each
join. What holds itself twice, line after line, would double with each of them; so a container that
becomes too heavy forgets what it held, when it is made.
"""

from __future__ import annotations

from collections.abc import Mapping as Changes
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.values import Value

MAX_WEIGHT = 200
"""How many values there may be in one, at all depths together."""


class Holder:
    """A value that holds other values.

    Args:
        weight: how many values it is made of, itself included. The heaviest of them counts
            a quarter more, so that depth has its bound as well.
        lighter: what to hold instead where that would be too many; if that doesn't help, what
            comes next as well. The last one helps in any case.
    """

    __slots__ = ("weight",)
    weight: int
    lighter: ClassVar[tuple[Changes[str, object], ...]]

    def __post_init__(self) -> None:
        weight = self._weighed()
        for changes in self.lighter if weight > MAX_WEIGHT else ():
            for name, value in changes.items():
                object.__setattr__(self, name, value)
            weight = self._weighed()
            if weight <= MAX_WEIGHT:
                break
        object.__setattr__(self, "weight", weight)

    def held(self) -> tuple[Value, ...]:
        """The values that it holds."""
        raise NotImplementedError

    def _weighed(self) -> int:
        weights = [weight_of(value) for value in self.held()]
        return 1 + sum(weights) + max(weights, default=0) // 4


def weight_of(value: Value) -> int:
    """How many values a value is made of, itself included."""
    if isinstance(value, Holder):
        return value.weight
    bound = getattr(value, "bound", None)  # of a method
    return 1 + bound.weight if isinstance(bound, Holder) else 1
