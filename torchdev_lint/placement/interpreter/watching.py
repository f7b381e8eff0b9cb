"""Looking on while code is run: whoever asks is told what each expression gives.

The handlers of expressions are exchanged for others that tell as well. Where nobody asks, nothing
is exchanged, and nothing is asked for each expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from torchdev_lint.placement.domain.values import Value
from torchdev_lint.placement.run import Run

Handler: TypeAlias = "Callable[[Run, ast.AST], Value]"
Watcher: TypeAlias = "Callable[[Run, ast.AST, Value], None]"
"""Is told of each expression when it was evaluated, and with what result."""


def watched(handlers: dict[type[ast.AST], Handler], tell: Watcher) -> dict[type[ast.AST], Handler]:
    """Return handlers that do the same, and tell what came of it.

    Args:
        handlers: evaluate the kinds of expressions.
        tell: is told.
    """
    return {kind: _telling(handler, tell) for kind, handler in handlers.items()}


def _telling(handler: Handler, tell: Watcher) -> Handler:
    def evaluate(run: Run, node: ast.AST) -> Value:
        value = handler(run, node)
        tell(run, node, value)
        return value

    return evaluate
