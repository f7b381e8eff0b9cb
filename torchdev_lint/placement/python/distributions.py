"""Methods and attributes of distributions: they draw, and measure, where their parameters live.

Source: https://docs.pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.factories import DRAWING, MEASURING, PARAMETERS, SHAPES
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import UNKNOWN, Tensor, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def call_distribution_method(
    run: Run, base: Sequence, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Evaluate a method of a distribution, whose element is what it draws.

    `sample()` with a shape gives a tensor that has dimensions. How probable something is lives
    where the parameters do: it has met them.
    """
    drawn = base.element
    if not isinstance(drawn, Tensor):
        return drawn if name in DRAWING or name in MEASURING else UNKNOWN
    if name in MEASURING:
        return _measured(run, drawn, name, arguments, node)
    if name not in DRAWING:
        return UNKNOWN
    has_shape = arguments.positional or not arguments.keywords.keys().isdisjoint(SHAPES)
    return replace(drawn, scalar=False) if has_shape else drawn


def parameter(base: Sequence, name: str) -> Value | None:
    """Return an attribute of a distribution that is a tensor; None if it is something else."""
    return base.element if name in PARAMETERS and isinstance(base.element, Tensor) else None


def _measured(run: Run, drawn: Tensor, name: str, arguments: Arguments, node: ast.Call) -> Value:
    if arguments.positional or arguments.keywords:
        own = node.func.value if isinstance(node.func, ast.Attribute) else node
        operands = [Operand(drawn, own, within=True), *arguments.operands()]
        operate(run, name, node, operands, Policy.ELEMENTWISE)
    return Tensor(drawn.place)
