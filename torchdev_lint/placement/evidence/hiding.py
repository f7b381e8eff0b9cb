"""Whether a program hides all accelerators from itself."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.devices import VISIBLE, VISIBLE_NONE
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scripts import is_main_guard


def hides_accelerators(statements: Iterable[ast.stmt]) -> bool:
    """Return whether a program says in its environment that none is to be seen.

    Args:
        statements: those of a file.
    """
    said = None
    for statement in statements:
        if is_main_guard(statement):
            assert isinstance(statement, ast.If)
            if hides_accelerators(statement.body):
                return True
        elif isinstance(statement, ast.Assign) and any(map(_is_setting, statement.targets)):
            said = statement.value  # what is said last counts
    return isinstance(said, ast.Constant) and said.value in VISIBLE_NONE


def _is_setting(target: ast.expr) -> bool:
    """Whether a target is `os.environ["CUDA_VISIBLE_DEVICES"]`."""
    return (
        isinstance(target, ast.Subscript)
        and isinstance(target.slice, ast.Constant)
        and target.slice.value == VISIBLE
        and (dotted(target.value) or "").endswith("environ")
    )
