"""What proofs rest on: the names of a file, and how far one thing may follow from another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torchdev_lint.proof.annotations import Annotations
from torchdev_lint.proof.mentions import Mentions
from torchdev_lint.proof.values import Values
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.order import Order
from torchdev_lint.syntax.scopes import Syntax

MAX_STEPS = 12
"""How far what something is follows from what other things are."""


class Grounds:
    """What is known of the names of a file.

    Args:
        syntax: the file's tree.

    Attributes:
        bindings: what its names are bound to.
        order: in which order its parts run.
        mentions: what is named in the file, and where.
        values: what its names may hold.
        annotations: what they promise to hold.
    """

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.bindings = syntax.derived(Bindings)
        self.order = Order(syntax, self.bindings)
        self.mentions = Mentions(syntax)
        self.values = Values(syntax, self.bindings, self.mentions)
        self.annotations = Annotations(syntax, self.bindings, self.values)


class Steps:
    """Counts how many steps one thing follows from another."""

    def __init__(self) -> None:
        self._taken = 0

    @contextmanager
    def one(self) -> Iterator[bool]:
        """Take one more step; says whether that is still allowed."""
        allowed = self._taken <= MAX_STEPS
        self._taken += 1
        try:
            yield allowed
        finally:
            self._taken -= 1
