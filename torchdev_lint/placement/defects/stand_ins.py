"""Tensors without elements, which stand for "nothing yet" until something is joined to them."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import alternatives
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import names_in

_JOINING = frozenset({"cat", "concat", "concatenate", "hstack", "vstack"})
"""Where it matters where they are: devices are compared before they are skipped.

Source: `tests/runtime/mixing_rows/joining.py`.
"""


def is_joined(run: Run, name: str, origin: Origin, operand: Operand) -> bool:
    """Whether a tensor without elements is joined with others by the function that makes it.

    One that is handed on, or kept, stands for "nothing yet", which whoever gets it asks for. So
    may the function itself, by any condition on the variable.

    Args:
        name: what the operation is called.
        origin: where the tensor is made.
        operand: it, at the operation.
    """
    frame = run.frame
    is_own = origin.in_forward or (origin.scope == frame.scope and origin.holder is None)
    is_as_made = is_own and len(alternatives(operand.value)) == 1 and name in _JOINING
    return is_as_made and not _is_asked_for(run, operand.node)


def _is_asked_for(run: Run, node: ast.AST) -> bool:
    """Whether a condition of the function at hand mentions one of an expression's variables."""
    variables = names_in(node) - {"self"}
    tests = (
        part.test
        for part in run.file.nodes_in(run.frame.node)
        if isinstance(part, (ast.If, ast.IfExp, ast.While))
    )
    return any(not variables.isdisjoint(names_in(test)) for test in tests)
