"""What is asked for with a keyword, where something is made."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.syntax.names import last_component


def asks_for(node: ast.expr, keyword: str, makers: Set[str]) -> bool:
    """Whether an expression makes something with a keyword, or is the call of one that needs none.

    Args:
        makers: functions that need none, by the last component of their names.
    """
    if not isinstance(node, ast.Call):
        return False
    return last_component(node.func) in makers or any(k.arg == keyword for k in node.keywords)
