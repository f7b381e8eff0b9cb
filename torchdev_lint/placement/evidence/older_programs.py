"""Programs that were written for a PyTorch in which other things fail than do today."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.operations import LOSS_FUNCTIONS
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk


class OlderProgram:
    """Whether a file is for PyTorch before 0.5, as it asks a loss for its first element.

    A loss has no dimensions, and `loss.data[0]` raises since then, wherever it is. Until then a
    tensor was brought to the CPU by itself where an array was made of it (`Tensor.__array__`).

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        asked, losses, of_function = set[str | None](), set[str | None](), False
        for node in walk(syntax.tree):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                if isinstance(node.value, ast.Attribute) and node.value.attr == "data":
                    asked.add(path_of(node.value.value))
                    of_function |= _computes_loss(node.value.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "backward" and not node.args:
                    losses.add(path_of(node.func.value))
        self.makes_arrays_itself = of_function or bool((asked & losses) - {None})
        """Whether it may make an array of any tensor."""


def _computes_loss(node: ast.expr) -> bool:
    """Whether an expression calls one of PyTorch's losses, and not for the loss of each sample."""
    if not isinstance(node, ast.Call) or last_component(node.func) not in LOSS_FUNCTIONS:
        return False
    return not any(keyword.arg in {"reduce", "reduction", None} for keyword in node.keywords)
