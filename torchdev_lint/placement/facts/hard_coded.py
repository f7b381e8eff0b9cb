"""What happens to what the code puts on CUDA by name, where nothing is supposed of devices."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.facts.events import OfOrigin
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class HardCoded(OfOrigin):
    """What the code puts on CUDA by that name meets what lives wherever its user has it.

    Args:
        operation: what the code calls it.
        node: the operation's expression.
        operand: the expression of what is on CUDA, at the operation.
        partner: the expression of the other value, or of the module that is called.
        module_call: whether the operation is the call of a module.
        entry: the function that was called first.
    """

    operation: str
    node: ast.AST
    operand: ast.AST
    partner: ast.AST
    module_call: bool
    entry: ast.AST

    def is_about(self, file: File, at_hand: File) -> bool:
        """Both its places are told."""
        return self.origin.file is file is at_hand

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """What is left open, or caught, is no defect for certain."""
        return frozenset(Mood)
