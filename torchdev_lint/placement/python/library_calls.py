"""Which function of a library a call runs, asked once more beside the call itself."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.values import Library
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of


def library_called(run: Run, node: ast.AST) -> str:
    """Return the name of the function of a library that a call runs; empty if it runs none.

    Only a name with attributes is looked up: what is computed would be computed once more, and
    undo what has been done to what it gave.

    Args:
        node: the call, or what is none.
    """
    if not isinstance(node, ast.Call) or path_of(node.func) is None:
        return ""
    function = run.evaluate(node.func)
    return function.name if isinstance(function, Library) else ""
