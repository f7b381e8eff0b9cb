"""Code that makes tensors, going by the names of what it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.syntax.names import last_component


def makes_tensors(nodes: Iterable[ast.AST]) -> bool:
    """Return whether code calls something that is called like a function that makes tensors.

    Args:
        nodes: all of the code.
    """
    return any(
        isinstance(node, ast.Call) and last_component(node.func) in FACTORY_NAMES for node in nodes
    )
