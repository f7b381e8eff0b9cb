"""What is to be trained, as it is written where it is made."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.gradients import ASKS_FOR_GRADIENTS, LEAF_MAKERS
from torchdev_lint.syntax.names import last_component


def asks_for_gradients(node: ast.expr) -> bool:
    """Whether an expression makes a tensor that asks for gradients, going by names."""
    if not isinstance(node, ast.Call):
        return False
    if last_component(node.func) in LEAF_MAKERS:
        return True
    return any(keyword.arg == ASKS_FOR_GRADIENTS for keyword in node.keywords)
