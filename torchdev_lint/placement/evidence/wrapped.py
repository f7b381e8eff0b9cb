"""Functions whose decorators may have them take or give something else."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.training import GRADIENT_MODES
from torchdev_lint.syntax.names import last_component


def may_be_wrapped(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a decorator may have a function take or give something else.

    Those that turn gradients on or off don't: `@torch.no_grad()`.
    """
    calls = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return any(last_component(decorator) not in GRADIENT_MODES for decorator in calls)
